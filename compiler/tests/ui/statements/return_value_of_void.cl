// C99 6.8.6.4: return has no value.
void f(int a) { return a; }
