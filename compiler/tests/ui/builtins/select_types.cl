// OpenCL C 6.12.6: the condition has the width of the values.
void f(float4 a, short4 b, int4 c, uint2 d) { select(a, a, b); select(a, a, c); select(a, a, d); }
