// C99 6.7.8: .name designates members.
void f(void) { int a[2] = {.x = 1}; int b = {.x = 1}; }
