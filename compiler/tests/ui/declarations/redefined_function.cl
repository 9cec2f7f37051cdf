// C99 6.9: one definition.
int f(int a) { return a; }
int f(int a) { return a + 1; }
