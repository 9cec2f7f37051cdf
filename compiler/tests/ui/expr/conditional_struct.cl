// C99 6.5.15: the condition is a scalar.
struct S { int a; };
int f(struct S s) { return s ? 1 : 2; }
