// C99 6.8.6.2: continue stands in a loop.
void f(int a) { continue; switch (a) { case 1: continue; } }
