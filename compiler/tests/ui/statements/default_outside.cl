// C99 6.8.1: default stands in a switch.
void f(int a) { default: a = 2; }
