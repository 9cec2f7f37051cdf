// OpenCL C 6.7: declarations of a kernel agree.
kernel void k(global int *p);
kernel void k(global float *p) { }
