// OpenCL C 6.1.6: numbers and vectors.
struct S { int a; };
void f(struct S s) { (int2)(s, 1); }
