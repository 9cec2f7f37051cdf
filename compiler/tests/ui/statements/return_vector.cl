// OpenCL C 6.2.1: no implicit conversions between vectors.
float4 f(int4 v) { return v; }
float g(float4 v) { return v; }
