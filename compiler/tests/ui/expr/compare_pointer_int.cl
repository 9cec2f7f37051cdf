// C99 6.5.8: pointers are compared with pointers.
int f(global int *p, int a) { return p < a || p == a; }
