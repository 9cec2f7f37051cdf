// C99 6.5.16: an array is not assigned.
void f(void) { int a[2], b[2]; a = b; }
