// C99 6.5.13: && takes scalars.
struct S { int a; };
int f(struct S s) { return s && 1 || s; }
