// C99 6.7.8: a string initializes characters.
void f(void) { int a[4] = "abc"; float b[2] = "a"; }
