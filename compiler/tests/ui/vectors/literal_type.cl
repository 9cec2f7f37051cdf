// OpenCL C 6.1.6: the values of a vector literal convert to the element type.
void f(int2 a, float4 b, global int *p) { (float4)(a, a); (int4)(b); (int2)(p, p); }
