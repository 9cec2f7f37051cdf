// OpenCL C 6.5.2: __local variables belong to kernels.
void f(void) { local int a; a = 1; }
