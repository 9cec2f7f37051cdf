// C99 6.7.8: lists belong to initializers.
void f(void) { int a[2]; a = {1, 2}; }
