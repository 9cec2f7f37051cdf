// C99 6.4: a character that begins no token.
int f(int a) { return a @ 1; }
