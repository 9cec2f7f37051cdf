// OpenCL C 6.5: no other address space, deeper too.
void f(global int *p, local int *l) { global int **q = &p; q = &l; private int **r = &p; }
