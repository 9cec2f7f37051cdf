// C99 6.7.8: a structure of the same type.
struct S { int a; };
struct T { int a; };
void f(struct T t) { struct S s = t; }
