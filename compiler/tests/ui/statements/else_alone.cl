// C99 6.8.4: else belongs to an if.
void f(int a) { else a = 1; }
