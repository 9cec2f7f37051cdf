// C99 6.5.16.1: a pointer is no number.
void f(global int *p, int a) { p = a; a = p; p = 0; }
