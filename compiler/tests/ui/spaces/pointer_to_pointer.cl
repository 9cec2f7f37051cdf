// OpenCL C 6.5: a pointer to a pointer does not change the inner address space either.
void f(global int *p, local int *l) { global int **q = &p; q = &l; private int **r = &p; }
