// C99 6.3.2.2: void has no value.
void g(void);
int f(void) { return g() + 1; }
int h(void) { int a = g(); return a; }
