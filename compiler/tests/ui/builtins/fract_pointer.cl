// OpenCL C 6.12.2: where the second result goes.
void f(float a, constant float *c, global int *p) { fract(a, a); fract(a, c); frexp(a, p); modf(a, 0); }
