// OpenCL C 6.12: types of arguments.
struct S { int a; };
void f(struct S s, global int *p) { sin(s); sqrt(p); abs(s); }
