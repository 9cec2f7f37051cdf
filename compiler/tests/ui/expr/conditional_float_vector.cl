// OpenCL C 6.3.i: a vector condition is of integers.
void f(float4 c, float4 a) { c ? a : a; }
