// C99 6.5.16: a structure with a const member is not assigned.
struct S { const int a; int b; };
void f(struct S s, struct S t) { s = t; s.a = 1; s.b = 1; }
