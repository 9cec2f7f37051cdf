// C99 6.8.4.2: case values differ.
void f(int a) { switch (a) { case 1: case 2: case 1: break; } }
