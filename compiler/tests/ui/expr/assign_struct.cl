// C99 6.5.16.1: structures of one type.
struct S { int a; };
struct T { int a; };
void f(struct S s, struct T t) { s = t; s = 1; }
