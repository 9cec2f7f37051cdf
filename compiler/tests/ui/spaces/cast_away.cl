// OpenCL C 6.5: a pointer is not converted to another address space.
void f(global int *p) { local float *q = (local float *)p; }
