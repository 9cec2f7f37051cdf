// C99 6.5.16.1: pointers to different types are not assigned.
void f(global int *p, global float *q, global void *v) { p = q; p = v; v = p; }
