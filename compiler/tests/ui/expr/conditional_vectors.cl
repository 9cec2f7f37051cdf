// OpenCL C 6.3.i: the results of ?: on vectors have one type.
void f(int c, float4 a, int4 b) { c ? a : b; }
