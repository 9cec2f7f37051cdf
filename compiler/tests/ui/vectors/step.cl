// OpenCL C 6.11.? vec_step takes a scalar or vector.
struct S { int a; };
void f(struct S s) { vec_step(s); vec_step(struct S); vec_step(int3); }
