// C99 6.2.1: a name's scope begins at its declarator.
int f(void) { int a = a; int b = c, c = 1; return a + b; }
