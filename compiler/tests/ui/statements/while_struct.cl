// C99 6.8.5: a loop's condition is a scalar.
struct S { int a; };
void f(struct S s) { while (s) ; do ; while (s); for (; s;) ; }
