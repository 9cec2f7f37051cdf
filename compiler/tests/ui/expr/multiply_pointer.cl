// C99 6.5.5: * takes numbers.
void f(global int *p, int a) { p * a; a / p; }
