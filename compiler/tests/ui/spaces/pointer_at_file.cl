// OpenCL C 6.8: variables of the program are __constant.
global int *p;
constant int *q = 0;
constant int *constant ok = 0;
