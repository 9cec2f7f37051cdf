// OpenCL C 6.9.k: no bool.
kernel void k(bool a) { }
