// OpenCL C 6.9.d: no arrays of variable length.
void f(int n) { struct S { int a[n]; }; }
