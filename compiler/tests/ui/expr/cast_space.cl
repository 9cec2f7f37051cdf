// OpenCL C 6.5: a cast does not change the address space.
void f(global int *p) { (local int *)p; (int *)p; (constant int *)p; }
