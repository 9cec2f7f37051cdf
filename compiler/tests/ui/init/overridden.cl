// C99 6.7.8: a member that is initialized twice.
void f(void) { int a[2] = {[0] = 1, [0] = 2}; }
