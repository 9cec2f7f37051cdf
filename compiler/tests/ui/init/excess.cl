// C99 6.7.8: there are not more initializers than elements.
void f(void) { int a[2] = {1, 2, 3}; struct { int x; } s = {1, 2}; }
