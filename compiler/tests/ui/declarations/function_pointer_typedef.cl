// OpenCL C 6.9.a: no function pointers.
typedef int (*op)(int, int);
