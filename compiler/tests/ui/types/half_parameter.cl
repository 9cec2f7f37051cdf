// OpenCL C 6.1.1.1: half is a storage type only.
// without: cl_khr_fp16
void f(half a) { }
half g(void);
