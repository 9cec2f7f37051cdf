// C99 6.8.1: labels of a function differ.
void f(void) { l: ; l: ; goto l; }
