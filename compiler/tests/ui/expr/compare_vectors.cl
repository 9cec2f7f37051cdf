// OpenCL C 6.3.d: comparisons take vectors of one type.
void f(int4 a, int2 b, float4 c) { a == b; a < c; }
