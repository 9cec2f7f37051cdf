// OpenCL C 6.6: access qualifiers are for images.
void f(read_only global int *p);
void g(write_only int a);
