// C99 6.4.4.4: several characters have an implementation-defined value.
int f(void) { return 'ab'; }
