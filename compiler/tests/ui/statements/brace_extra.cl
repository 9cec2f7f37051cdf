// C99 6.8.2: braces match.
void f(int a) { a = 1; } }
int g(void) { return nope; }
