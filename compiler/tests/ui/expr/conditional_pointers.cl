// C99 6.5.15: pointers that go together.
void f(int c, global int *p, local int *q, global float *r) { c ? p : q; c ? p : r; c ? p : 1; }
