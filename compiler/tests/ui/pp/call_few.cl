// C99 6.10.3: a macro is called with as many arguments as it has parameters.
#define A(x, y) x
int f(int x) { return A(x); }
