// C99 6.7.8: an array without a size has an initializer.
void f(void) { int x[]; }
