// C99 6.4.1, OpenCL C 6.1.9: keywords are no identifiers.
void f(int kernel) { }
void g(int global) { }
int restrict;
