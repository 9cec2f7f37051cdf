// OpenCL C 6.12.7: a vector of the pointee's type.
void f(global float *p, int4 a, float2 b) { vstore4(a, 0, p); vstore4(b, 0, p); }
