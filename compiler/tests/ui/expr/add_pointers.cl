// C99 6.5.6: a pointer and an integer.
void f(global int *p, float a) { p + p; p + a; }
