// OpenCL C 6.5: no other address space.
void g(int *p);
void f(global int *p, local int *l, constant int *c) { g(p); g(l); g(c); }
