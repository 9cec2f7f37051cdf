// OpenCL C 6.11.1: one argument.
struct S { int a; } __attribute__((aligned(4, 8)));
