// options: -cl-std=CL2.0
// device: 3.1
// without: __opencl_c_generic_address_space
// OpenCL C 2.0 has the generic address space.
kernel void k(global int *p) { p[0] = 1; }
