// C99 6.8.1: a declaration is no statement.
void f(void) { goto l; l: int a = 1; }
