// OpenCL C 6.9.b: no sampler in a structure.
struct S { sampler_t a; };
