// OpenCL C 6.9.i: no recursion.
int f(int n) { return n < 2 ? 1 : n * f(n - 1); }
kernel void k(global int *p) { p[0] = k ? 1 : 0; }
