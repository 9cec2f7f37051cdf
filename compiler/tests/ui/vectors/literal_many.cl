// OpenCL C 6.1.6: a vector literal has as many values as components.
void f(float2 a) { (float4)(a, a, 1); (int2)(1, 2, 3); }
