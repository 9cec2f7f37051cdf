// C99 6.5.4: a cast converts a scalar to a scalar type.
struct S { int a; };
void f(struct S s, int a) { (int)s; (struct S)a; (struct S)s; }
