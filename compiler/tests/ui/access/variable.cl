// OpenCL C 6.6: access qualifiers are for parameters.
void f(void) { read_only int a; }
