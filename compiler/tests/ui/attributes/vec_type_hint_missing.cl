// OpenCL C 6.7.2: vec_type_hint takes one argument.
kernel __attribute__((vec_type_hint)) void k(void) { }
kernel __attribute__((vec_type_hint(nonsense))) void l(void) { }
