// nosvm is for pointers of OpenCL 2.0.
void f(__attribute__((nosvm)) global int *p) { }
