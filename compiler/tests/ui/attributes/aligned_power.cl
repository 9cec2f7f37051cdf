// OpenCL C 6.11.1: an alignment is a power of two.
int f(void) { int a __attribute__((aligned(3))) = 1; return a; }
struct S { int a; } __attribute__((aligned(12)));
