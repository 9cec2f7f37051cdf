// C99 6.5.3.2: & takes an object.
int g(void);
void f(void) { &g(); }
