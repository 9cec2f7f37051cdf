// C99 6.8.6.1: the label exists.
void f(void) { goto nowhere; }
