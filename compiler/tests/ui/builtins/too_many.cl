// OpenCL C 6.12: a built-in function is called with its number of arguments.
void f(float a) { sin(a, a); get_global_id(0, 1); }
