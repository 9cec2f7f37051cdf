// C99 6.8.6.4: a returned value converts as in an assignment.
struct S { int a; };
struct S f(int a) { return a; }
int g(struct S s) { return s; }
global int *h(local int *p) { return p; }
