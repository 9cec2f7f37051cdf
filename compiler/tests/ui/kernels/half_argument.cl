// OpenCL C 6.9.k: a kernel's argument is not a half.
// without: cl_khr_fp16
kernel void k(half a) { }
