// C99 6.8.4.2: case values differ after conversion.
void f(int a) { switch (a) { case -1: case 0xffffffff: break; } }
