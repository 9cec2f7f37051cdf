// C99 6.5.6: a pointer cannot be subtracted from an integer.
void f(global int *p) { 1 - p; }
