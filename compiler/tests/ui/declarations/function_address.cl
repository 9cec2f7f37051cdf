// OpenCL C 6.9.a: no function pointers.
int g(int);
void f(void) { &g; *g; }
