// OpenCL C 6.11: the form of an attribute is checked.
void f(void) __attribute__((aligned(4));
