// OpenCL C 6.5.1: no variables in __global.
kernel void k(void) { global int a; global int *ok; }
