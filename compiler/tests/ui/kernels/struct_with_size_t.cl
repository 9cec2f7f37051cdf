// OpenCL C 6.9.k: no size_t in structures of arguments.
struct S { size_t a; };
kernel void k(struct S s) { }
