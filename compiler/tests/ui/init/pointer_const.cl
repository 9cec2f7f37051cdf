// C99 6.7.8: qualifiers are kept.
void f(global const int *p) { global int *q = p; }
