// OpenCL C 6.9.k: no half.
// without: cl_khr_fp16
kernel void k(half a) { }
