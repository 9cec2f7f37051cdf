// OpenCL C 6.12.7: pointers that may be written.
void f(global const float *p, constant float *c, float4 a) { vstore4(a, 0, p); vstore4(a, 0, c); }
