// OpenCL C 6.9.j: a kernel returns void.
kernel int k(void) { return 1; }
