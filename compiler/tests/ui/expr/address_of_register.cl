// C99 6.5.3.2: a variable with register has no address.
void f(void) { register int a = 1; &a; }
