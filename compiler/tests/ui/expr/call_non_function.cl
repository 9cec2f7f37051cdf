// C99 6.5.2.2: a function is called.
int f(int a) { return a(1); }
int g(global int *p) { return p(1); }
