// C99 6.7.8: a structure has a list, or a structure.
struct S { int a, b; };
void f(int n) { struct S s = n; }
