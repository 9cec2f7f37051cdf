// OpenCL C 6.5.1: no variables in __global.
global int a;
global int b = 1;
global int c[2];
