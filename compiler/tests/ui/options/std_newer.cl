// options: -cl-std=CL2.0
// OpenCL 5.6.4.5: a version that the device lacks.
kernel void k(global int *p) { p[0] = 1; }
