// OpenCL C 6.2.3: conversions keep the number of components.
void f(float4 v, float2 w) { convert_int2(v); convert_int4(w); convert_int(v); }
