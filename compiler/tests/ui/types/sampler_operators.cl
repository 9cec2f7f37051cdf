// OpenCL C 6.9.b: samplers have no operators.
void f(sampler_t a) { a + 1; a == a; *a; }
