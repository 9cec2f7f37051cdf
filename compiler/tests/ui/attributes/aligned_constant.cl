// OpenCL C 6.11.1: a constant.
void f(int n) { int a __attribute__((aligned(n))); }
