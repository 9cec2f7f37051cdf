// OpenCL C 6.5: no other address space.
int *f(global int *p) { return p; }
