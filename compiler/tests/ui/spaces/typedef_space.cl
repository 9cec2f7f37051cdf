// OpenCL C 6.5: a type has one address space, also through a typedef.
typedef global int gint;
void f(local gint *p);
void g(gint a);
