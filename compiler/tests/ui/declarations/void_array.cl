// C99 6.7.5.2: elements are objects.
void f(void) { void x[2]; }
