// OpenCL C 6.12: the arguments of a built-in function are vectors of one size.
void f(float4 a, float2 b) { max(a, b); pow(a, b); fma(a, a, b); }
