// OpenCL C 6.5: a type has one address space.
void f(global local int *p);
kernel void k(global int *p) { local global int a; }
