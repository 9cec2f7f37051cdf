// OpenCL C 6.9.a: no function pointers.
void f(int (*p)(int));
void g(int p(int)) { }
