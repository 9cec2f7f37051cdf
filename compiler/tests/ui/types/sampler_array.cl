// OpenCL C 6.9.b: no arrays of samplers.
void f(void) { sampler_t a[2]; }
