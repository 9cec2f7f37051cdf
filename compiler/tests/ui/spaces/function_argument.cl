// OpenCL C 6.5: a pointer is not converted to another address space.
void g(int *p);
void f(global int *p, local int *l, constant int *c) { g(p); g(l); g(c); }
