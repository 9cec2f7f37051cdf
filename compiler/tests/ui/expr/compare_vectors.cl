// OpenCL C 6.3.d: vectors of one type.
void f(int4 a, int2 b, float4 c) { a == b; a < c; }
