// C99 6.5.6: only an integer can be added to a pointer.
void f(global int *p, float a) { p + p; p + a; }
