// C99 6.5.2.3: . takes a structure, not a pointer.
struct S { int a; };
int f(global struct S *s) { return s.a; }
