// OpenCL C 6.3.f: vectors of one type.
void f(int4 a, uint4 b) { a & b; }
