// OpenCL C 6.2.2: no casts between vectors.
void f(float4 v, int2 w) { (int4)v; (float)v; (float4)w; }
