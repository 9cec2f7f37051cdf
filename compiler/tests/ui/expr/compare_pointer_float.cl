// C99 6.5.8: numbers with numbers.
int f(global int *p, float a) { return p == a; }
