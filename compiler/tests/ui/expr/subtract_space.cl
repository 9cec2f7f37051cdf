// OpenCL C 6.5: operands are pointers to the same address space.
void f(global int *p, local int *q) { p - q; }
