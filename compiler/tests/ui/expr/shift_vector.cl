// OpenCL C 6.3.j: a vector does not shift a scalar.
void f(int a, int4 v, int2 w) { a << v; v << w; }
