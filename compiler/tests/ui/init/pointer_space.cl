// OpenCL C 6.5: no other address space.
void f(local int *p) { global int *q = p; }
