// C99 6.5.6: pointers to the same type.
void f(global int *p, global float *q) { p - q; }
