// OpenCL C 6.12: the number of arguments.
void f(float a) { sin(a, a); get_global_id(0, 1); }
