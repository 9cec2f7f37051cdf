// C99 6.7.5.2: a size is an integer.
void f(void) { int x[2.0f]; }
