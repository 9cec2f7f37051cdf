// OpenCL C 6.1.7: components of constants.
constant float4 c = (float4)(1);
void f(const float4 a) { a.x = 1; c.y = 2; a.xy += 1; }
