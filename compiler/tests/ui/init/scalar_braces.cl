// C99 6.7.8: a scalar has one initializer.
void f(void) { int a = {1, 2}; int b = {}; int c = {{1}}; }
