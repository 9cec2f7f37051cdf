// C99 6.9: a function has one definition.
int f(int a) { return a; }
int f(int a) { return a + 1; }
