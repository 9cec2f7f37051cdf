// OpenCL C 6.11.1: alignment has a limit.
struct S { int a; } __attribute__((aligned(0x100000000)));
