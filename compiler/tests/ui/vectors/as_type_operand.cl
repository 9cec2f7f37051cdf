// OpenCL C 6.2.4.2: as_type functions take numbers and vectors only.
struct S { float a; };
void f(struct S s, global int *p) { as_float(s); as_ulong(p); }
