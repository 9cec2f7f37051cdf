// OpenCL C 6.1.7: 1, 2, 3, 4, 8 or 16 of them.
void f(float16 v) { v.s01234; v.xyzwxyz; }
