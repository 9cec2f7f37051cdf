// OpenCL C 6.5.1: a variable cannot be in __global.
global int a;
global int b = 1;
global int c[2];
