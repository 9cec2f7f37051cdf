// OpenCL C 6.1.4: long double is reserved.
void f(void) { long double a; }
