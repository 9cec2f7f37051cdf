// C99 6.7.8: [n] designates elements.
void f(void) { struct { int x; } s = {[0] = 1}; int b = {[0] = 1}; }
