// OpenCL C 6.9.k: not an argument of a kernel.
kernel void k(event_t e) { }
