// OpenCL C 6.2.4.2: as_type functions keep the size.
void f(float a, float4 v, int2 w) { as_char(a); as_int2(v); as_double(w); as_float3(w); }
