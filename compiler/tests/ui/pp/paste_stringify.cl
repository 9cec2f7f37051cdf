// C99 6.10.3: a stringified argument is one token.
#define S(x) #x
int f(void) { return S(a b); }
