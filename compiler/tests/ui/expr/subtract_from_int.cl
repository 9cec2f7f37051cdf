// C99 6.5.6: an integer minus a pointer.
void f(global int *p) { 1 - p; }
