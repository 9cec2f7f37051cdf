// C99 6.8.4.1: if takes a scalar.
struct S { int a; };
void f(struct S s) { if (s) ; }
