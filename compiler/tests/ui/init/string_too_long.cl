// C99 6.7.8: a string fits its array.
void f(void) { char a[3] = "abcd"; char ok[4] = "abcd"; }
