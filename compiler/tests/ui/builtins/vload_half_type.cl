// OpenCL C 6.12.7: pointers to half.
void f(global float *p, global half *h) { vload_half(0, p); vstore_half(1.0f, 0, p); vload_half5(0, h); }
