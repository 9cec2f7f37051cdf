// OpenCL C 6.7: only functions are kernels.
kernel struct S { int a; };
typedef kernel int t;
