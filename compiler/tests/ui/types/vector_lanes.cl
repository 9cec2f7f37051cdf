// OpenCL C 6.1.2: 2, 3, 4, 8 or 16 components.
void f(void) { float5 a; int32 b; }
