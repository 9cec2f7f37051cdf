// OpenCL C 6.7: only functions are kernels.
kernel int a;
void f(void) { kernel int b; }
void g(kernel int c);
