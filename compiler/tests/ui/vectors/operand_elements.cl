// OpenCL C 6.3.a: vectors of one element type.
void f(float4 a, int4 b, uint4 c) { a + b; b - c; }
