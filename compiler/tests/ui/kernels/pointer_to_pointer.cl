// OpenCL C 6.9.a: no pointers to pointers.
kernel void k(global int **p, global int *global *q) { }
