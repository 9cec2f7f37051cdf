// OpenCL C 6.5: a pointer is not converted to another address space.
void f(local int *p) { global int *q = p; }
