// OpenCL C 6.8: static variables are __constant.
void f(void) { static int a = 1; a++; }
kernel void k(void) { static local int b; static float c; }
