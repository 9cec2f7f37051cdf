// OpenCL C 6.9.n: no pointers in structures of arguments.
struct S { global int *p; };
typedef struct { struct S s[2]; } T;
kernel void k(struct S s) { }
kernel void l(T t) { }
