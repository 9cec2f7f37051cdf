// OpenCL C 6.5: a pointer is not converted to another address space.
int *f(global int *p) { return p; }
