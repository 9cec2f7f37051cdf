// C99 6.5.2.3: the type is complete.
struct S;
int f(global struct S *s) { return s->a; }
