// OpenCL C 6.9.k: a kernel's argument is not a bool.
kernel void k(bool a) { }
