// OpenCL C 6.3.a: arithmetic takes vectors of one element type.
void f(float4 a, int4 b, uint4 c) { a + b; b - c; }
