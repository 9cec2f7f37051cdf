// OpenCL C 6.5: a pointer is not converted to another address space.
void f(global int *p, constant int *c) { int *q = p; q = c; int a; p = &a; }
