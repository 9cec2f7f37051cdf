// C99 6.5.15: either both results of ?: are void, or none is.
void g(void);
int f(int c) { return c ? g() : 1; }
