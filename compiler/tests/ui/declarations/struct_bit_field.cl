// OpenCL C 6.9.c: no bit-fields.
struct S { int a : 3; uint : 4; };
