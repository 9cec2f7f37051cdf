// C99 6.5.3.3: ! takes a scalar.
struct S { int a; };
int f(struct S s) { return !s; }
