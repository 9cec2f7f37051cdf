// OpenCL C 6.5: no other address space.
void f(global int *p) { local float *q = (local float *)p; }
