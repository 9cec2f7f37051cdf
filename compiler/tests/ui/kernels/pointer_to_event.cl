// OpenCL C 6.9.k: types of arguments.
kernel void k(global bool *p, global size_t *q) { }
