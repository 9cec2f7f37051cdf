// OpenCL C 6.12: the number of arguments.
void f(float a) { sin(); pow(a); clamp(a, a); }
