// C99 6.5.9: structures are not compared.
struct S { int a; };
int f(struct S s) { return s == s; }
