// OpenCL C 6.2.4.2: types of one size.
void f(float a, float4 v, int2 w) { as_char(a); as_int2(v); as_double(w); as_float3(w); }
