// C99 6.5.15: both void or none.
void g(void);
int f(int c) { return c ? g() : 1; }
