// C99 6.5.16.1: a structure is assigned from one of the same type.
struct S { int a; };
struct T { int a; };
void f(struct S s, struct T t) { s = t; s = 1; }
