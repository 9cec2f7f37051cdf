// OpenCL C 6.5: no casts between address spaces.
void f(global int *p) { (local int *)p; (int *)p; (constant int *)p; }
