// C99 6.5.2.2: pointers to the same type.
int g(global int *p);
int f(global float *p) { return g(p); }
