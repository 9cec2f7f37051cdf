// C99 6.7.8: [n] is in the array.
void f(void) { int a[2] = {[2] = 1}; int b[2] = {[-1] = 1}; }
