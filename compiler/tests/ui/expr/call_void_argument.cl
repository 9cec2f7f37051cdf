// C99 6.3.2.2: void has no value.
void g(void);
int h(int);
int f(void) { return h(g()); }
