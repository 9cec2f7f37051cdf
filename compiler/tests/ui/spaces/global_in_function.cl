// OpenCL C 6.5.1: a variable cannot be in __global.
kernel void k(void) { global int a; global int *ok; }
