// OpenCL C 6.9.b: no pointers to samplers.
void f(sampler_t *p);
