// C99 6.5.2.2: a function is called with as many arguments as it has parameters.
int g(int a, int b);
int h(void);
int f(int a) { return g(a, a, a) + h(1); }
