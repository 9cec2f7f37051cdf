// OpenCL C 6.2.3: a conversion takes one argument.
void f(float a) { convert_int(a, a); convert_int(); }
