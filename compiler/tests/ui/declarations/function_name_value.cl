// OpenCL C 6.9.a: no function pointers.
int g(int);
int f(void) { return g == 0; }
