// OpenCL C 6.5.3: __constant is read only.
constant int table[2] = {1, 2};
void f(constant int *p) { *p = 1; table[0] = 1; table[1]++; }
