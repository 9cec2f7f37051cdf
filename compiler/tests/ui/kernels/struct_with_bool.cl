// OpenCL C 6.9.k: no bool in structures of arguments.
struct S { int a; bool b; };
kernel void k(struct S s) { }
