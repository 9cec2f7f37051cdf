// OpenCL C 6.1.6: a vector literal has as many values as components.
void f(float2 a) { (float4)(1, 2, 3); (float4)(a, 1); }
