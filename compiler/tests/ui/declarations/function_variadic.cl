// OpenCL C 6.9.e: no variadic functions.
int f(int a, ...);
