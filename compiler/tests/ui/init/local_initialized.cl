// OpenCL C 6.5.2: __local variables have no initializers.
kernel void k(void) { local int a = 1; local int b[2] = {1, 2}; }
