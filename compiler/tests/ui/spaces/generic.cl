// OpenCL C 2.0's generic address space.
void f(generic int *p) { }
void g(__generic int *p) { }
