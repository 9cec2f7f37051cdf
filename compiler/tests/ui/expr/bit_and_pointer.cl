// C99 6.5.10: & takes integers.
void f(global int *p) { p & 1; }
