// OpenCL C 6.1.7: a swizzle has 1, 2, 3, 4, 8 or 16 components.
void f(float16 v) { v.s01234; v.xyzwxyz; }
