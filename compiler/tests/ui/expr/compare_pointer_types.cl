// C99 6.5.8: pointers to the same type.
int f(global int *p, global float *q) { return p < q; }
