// OpenCL C 6.5: operands are pointers to the same address space.
int f(global int *p, private int *q) { return p == q; }
