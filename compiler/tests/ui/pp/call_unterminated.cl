// C99 6.10.3: a macro call has its parenthesis.
#define A(x) x
int f(int x) { return A(x; }
