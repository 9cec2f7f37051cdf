// OpenCL C 6.1.7: components occur once.
void f(float4 v) { v.xx = v.xy; v.even.xx = v.xy; }
