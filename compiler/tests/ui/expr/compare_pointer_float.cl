// C99 6.5.9: a pointer cannot be compared with a floating-point number.
int f(global int *p, float a) { return p == a; }
