// C99 6.8.1: case stands in a switch.
void f(int a) { case 1: a = 2; }
