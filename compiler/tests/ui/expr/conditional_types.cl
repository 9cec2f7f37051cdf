// C99 6.5.15: the results of ?: have compatible types.
struct S { int a; };
struct T { int a; };
void f(int c, struct S s, struct T t) { c ? s : t; c ? s : 1; }
