// OpenCL C 6.2.6: the scalar has not the higher rank.
void f(float4 a, double b, int4 c, long d, float e) { a + b; c + d; c * e; }
