// C99 6.10.3: the number of arguments.
#define A(x, y) x
int f(int x) { return A(x); }
