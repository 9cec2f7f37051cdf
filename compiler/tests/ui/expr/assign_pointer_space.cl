// OpenCL C 6.5: a pointer cannot be assigned to a pointer to another address space.
void f(global int *p, local int *q, constant int *r) { p = q; q = p; p = r; }
