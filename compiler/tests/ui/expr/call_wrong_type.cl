// C99 6.5.2.2: arguments are converted as if by assignment.
struct S { int a; };
int g(struct S s);
int f(int a) { return g(a); }
