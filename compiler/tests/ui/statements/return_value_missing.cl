// C99 6.8.6.4: return needs a value in a function whose result is not void.
int f(void) { return; }
