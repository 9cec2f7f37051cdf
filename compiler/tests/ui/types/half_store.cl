// OpenCL C 6.1.1.1: half is a storage type only.
// without: cl_khr_fp16
void f(global half *p, float a) { *p = a; p[1] = 1.0f; }
