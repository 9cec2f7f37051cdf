// C99 6.7: an object has a complete type.
void f(void) { void x; }
