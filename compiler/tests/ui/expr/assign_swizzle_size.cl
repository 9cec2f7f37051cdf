// OpenCL C 6.1.7: as many values as components.
void f(float4 v) { v.xy = v.xyz; v.x = v.xy; }
