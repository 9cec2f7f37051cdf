// OpenCL C 6.1.1.1: half is a storage type only.
// without: cl_khr_fp16
float f(global half *p) { return *p + p[1]; }
