// C99 6.5.2.2: qualifiers are kept.
int g(global int *p);
int f(global const int *p) { return g(p); }
