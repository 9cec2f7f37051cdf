// C99 6.8.5: the scope of for's declaration.
int f(void) { for (int i = 0; i < 3; i++) ; return i; }
