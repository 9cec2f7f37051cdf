// C99 6.5.4: a scalar to a scalar.
struct S { int a; };
void f(struct S s, int a) { (int)s; (struct S)a; (struct S)s; }
