// OpenCL C 6.9.k: no size_t, also through a typedef.
typedef size_t length;
kernel void k(length a) { }
