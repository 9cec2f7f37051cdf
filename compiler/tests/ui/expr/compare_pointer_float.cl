// C99 6.5.8: numbers are compared with numbers.
int f(global int *p, float a) { return p == a; }
