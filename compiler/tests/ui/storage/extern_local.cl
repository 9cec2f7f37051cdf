// OpenCL C 6.8: extern in a block.
void f(void) { extern constant int a; extern int b; }
