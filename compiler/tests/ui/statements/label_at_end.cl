// C99 6.8.1: a label labels a statement.
void f(void) { goto l; l: }
