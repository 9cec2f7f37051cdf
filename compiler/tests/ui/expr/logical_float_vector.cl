// OpenCL C 6.3.g: && on vectors.
void f(float4 a, int4 b) { a && b; }
