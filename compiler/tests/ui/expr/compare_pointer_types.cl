// C99 6.5.8: pointers to different types are not ordered.
int f(global int *p, global float *q) { return p < q; }
