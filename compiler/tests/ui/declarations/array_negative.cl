// C99 6.7.5.2: a size is positive.
void f(void) { int x[-1]; }
