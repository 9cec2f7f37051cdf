// OpenCL C 6.3.i: a vector condition has the lanes and width of the operands.
void f(int4 c, int2 d, float4 a, float2 b, double4 e) { c ? b : b; d ? a : a; c ? e : e; }
