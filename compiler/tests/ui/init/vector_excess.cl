// OpenCL C 6.1.6: as many values as components.
void f(void) { float2 v = {1, 2, 3}; }
