// OpenCL C 6.1.7: a swizzle is assigned as many values as it has components.
void f(float4 v) { v.xy = v.xyz; v.x = v.xy; }
