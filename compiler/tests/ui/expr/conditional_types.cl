// C99 6.5.15: operands that go together.
struct S { int a; };
struct T { int a; };
void f(int c, struct S s, struct T t) { c ? s : t; c ? s : 1; }
