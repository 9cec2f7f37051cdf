// OpenCL C 6.11.1: an alignment is a power of two.
struct S { int a; } __attribute__((aligned(-4)));
struct T { int a; } __attribute__((aligned(0)));
