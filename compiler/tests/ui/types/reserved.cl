// OpenCL C 6.1.4: reserved types.
void f(void) { quad a; }
void g(float2x4 a);
void h(imaginary double a);
