// OpenCL C 6.12: the arguments of a built-in function are vectors of one type.
void f(float4 a, int4 b, uint4 c) { max(b, c); dot(a, b); hadd(b, c); }
