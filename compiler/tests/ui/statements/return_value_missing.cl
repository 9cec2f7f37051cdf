// C99 6.8.6.4: return has a value.
int f(void) { return; }
