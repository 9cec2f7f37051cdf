// OpenCL C 6.1.6: the values of a vector literal are numbers and vectors.
struct S { int a; };
void f(struct S s) { (int2)(s, 1); }
