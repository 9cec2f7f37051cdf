// C99 6.10.3.3: pasting makes one token.
#define CAT(a, b) a ## b
int f(int x) { return CAT(x, +); }
