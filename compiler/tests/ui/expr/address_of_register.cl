// C99 6.5.3.2: no address of a register.
void f(void) { register int a = 1; &a; }
