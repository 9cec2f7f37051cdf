// OpenCL C 6.11: the form of attributes.
void f(void) __attribute__((aligned(4));
