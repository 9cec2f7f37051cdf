// OpenCL C 6.1.1: half constants need cl_khr_fp16.
// without: cl_khr_fp16
float f(void) { return 1.5h; }
