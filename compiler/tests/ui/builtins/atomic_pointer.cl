// OpenCL C 6.12.11: pointers to int in global or local.
void f(int *p, global short *s, global int *g, constant int *c) { atomic_inc(p); atomic_inc(s); atomic_add(g); atomic_dec(c); }
