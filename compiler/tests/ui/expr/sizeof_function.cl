// C99 6.5.3.4: sizeof does not take a function.
int g(void);
ulong f(void) { return sizeof(g); }
