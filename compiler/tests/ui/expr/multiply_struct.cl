// C99 6.5.5: * takes numbers.
struct S { int a; };
void f(struct S s, int a) { s * a; a / s; }
