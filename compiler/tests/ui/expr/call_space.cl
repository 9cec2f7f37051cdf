// OpenCL C 6.5: operands are pointers to the same address space.
int g(global int *p);
int f(local int *p) { int a; return g(p) + g(&a); }
