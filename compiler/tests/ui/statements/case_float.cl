// C99 6.8.4.2: case values are integers.
void f(int a) { switch (a) { case 1.5f: break; } }
