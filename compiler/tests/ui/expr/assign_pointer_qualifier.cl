// C99 6.5.16.1: qualifiers are kept.
void f(global int *p, global const int *q, global volatile int *r) { p = q; p = r; q = p; }
