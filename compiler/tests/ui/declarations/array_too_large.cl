// An object has a size.
void f(void) { int x[0x7fffffffffffff]; }
