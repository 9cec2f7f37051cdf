// C99 6.5.3.4: not of a function.
int g(void);
ulong f(void) { return sizeof(g); }
