// OpenCL C 6.2.1: no implicit conversions between vectors.
void f(int4 a, float4 b, int2 c, int d) { a = b; a = c; d = a; a = d; }
