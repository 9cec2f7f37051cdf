// OpenCL C 6.9.d: no arrays of variable length.
void f(int n) { int x[n]; }
