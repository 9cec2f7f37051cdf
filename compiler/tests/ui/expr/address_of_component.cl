// OpenCL C 6.4: no address of a vector's component.
void f(float4 v) { &v.x; &v.xy; &v.hi; }
