// C99 6.7.8: an array has a brace-enclosed list.
void f(void) { int a[2] = 1; }
