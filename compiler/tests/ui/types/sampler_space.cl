// OpenCL C 6.12.14.1: samplers are constants or arguments.
global sampler_t a = 0;
void f(local sampler_t b);
