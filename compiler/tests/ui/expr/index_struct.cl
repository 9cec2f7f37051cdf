// C99 6.5.2.1: an index is an integer.
struct S { int a; };
int f(global int *p, struct S s) { return p[s]; }
