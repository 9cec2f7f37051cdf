// OpenCL C 6.9.k: some types cannot be those of kernel arguments.
kernel void k(global bool *p, global size_t *q) { }
