// C99 6.7.8: a block's extern has no initializer.
void f(void) { extern constant int a = 1; }
