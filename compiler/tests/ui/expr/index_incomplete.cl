// C99 6.5.2.1: the pointee is complete.
struct S;
void f(global struct S *p) { p[1]; }
