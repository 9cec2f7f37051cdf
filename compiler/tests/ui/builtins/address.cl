// OpenCL C 6.9.a: no function pointers.
void f(void) { &sin; int a = sin; }
