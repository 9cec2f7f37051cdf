// OpenCL C 6.12.13: a literal format.
void f(global char *p, int a) { printf(p); printf(); printf(a); }
