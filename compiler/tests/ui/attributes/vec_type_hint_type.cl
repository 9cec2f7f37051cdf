// OpenCL C 6.7.2: vec_type_hint takes the type of a number or vector.
struct S { int a; };
kernel __attribute__((vec_type_hint(struct S))) void k(void) { }
kernel __attribute__((vec_type_hint(void))) void l(void) { }
kernel __attribute__((vec_type_hint(bool))) void m(void) { }
