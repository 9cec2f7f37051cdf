// OpenCL C 6.12: a built-in function is called with its number of arguments.
void f(float a) { sin(); pow(a); clamp(a, a); }
