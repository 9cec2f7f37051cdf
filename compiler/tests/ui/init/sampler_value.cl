// OpenCL C 6.12.14.1: samplers are constants.
void f(int n) { const sampler_t s = n; const sampler_t t = 1.5f; }
