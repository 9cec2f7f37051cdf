// C99 6.5.15: pointers that are results of ?: have compatible types.
void f(int c, global int *p, local int *q, global float *r) { c ? p : q; c ? p : r; c ? p : 1; }
