// OpenCL C 6.9.a: pointer arguments have an address space.
kernel void k(int *p, private float *q, int a[]) { }
