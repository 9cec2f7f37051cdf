// C99 6.5.2.2: the number of arguments.
int g(int a, int b);
int f(int a) { return g(a); }
