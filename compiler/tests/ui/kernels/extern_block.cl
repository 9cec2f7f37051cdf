// C99 6.2.2: extern in a block.
void f(void) { extern int g(int); extern int a; g(1); }
