// OpenCL C 6.1.6: a vector literal has as many values as components.
void f(void) { float2 v = {1, 2, 3}; }
