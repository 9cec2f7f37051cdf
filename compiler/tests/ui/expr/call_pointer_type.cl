// C99 6.5.2.2: a pointer argument points to the type of the parameter.
int g(global int *p);
int f(global float *p) { return g(p); }
