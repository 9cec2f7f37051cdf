// OpenCL C 6.11.1: packed has no arguments.
struct S { char a; int b; } __attribute__((packed(1)));
