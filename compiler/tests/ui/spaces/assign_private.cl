// OpenCL C 6.5: no other address space.
void f(global int *p, constant int *c) { int *q = p; q = c; int a; p = &a; }
