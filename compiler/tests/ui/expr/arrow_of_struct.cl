// C99 6.5.2.3: -> takes a pointer.
struct S { int a; };
int f(struct S s) { return s->a; }
