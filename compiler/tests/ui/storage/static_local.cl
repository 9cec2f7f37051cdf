// OpenCL C 6.8: a static variable must be in the constant address space.
void f(void) { static int a = 1; a++; }
kernel void k(void) { static local int b; static float c; }
