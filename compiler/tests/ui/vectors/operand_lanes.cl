// OpenCL C 6.3.a: arithmetic takes vectors of one size.
void f(float4 a, float2 b) { a + b; a * b; a / b; }
