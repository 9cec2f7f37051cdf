// C99 6.5.2.2: the number of arguments.
int g(int a, int b);
int h(void);
int f(int a) { return g(a, a, a) + h(1); }
