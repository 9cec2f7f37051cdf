// OpenCL C 6.12.3: integers.
void f(float a) { popcount(a); rotate(a, a); clz(a); }
