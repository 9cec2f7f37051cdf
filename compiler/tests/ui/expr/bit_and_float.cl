// OpenCL C 6.3.f: & takes integers.
void f(float a, float4 v) { a & 1; v | v; 1 ^ a; }
