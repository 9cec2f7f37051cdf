// C99 6.8.4.2: case values are constant.
void f(int a, int b) { switch (a) { case b: break; case b + 1: break; } }
