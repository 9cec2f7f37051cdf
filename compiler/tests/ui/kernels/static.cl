// OpenCL C 6.8: a kernel is not static.
static kernel void k(void) { }
