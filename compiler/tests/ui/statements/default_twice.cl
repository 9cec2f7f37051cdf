// C99 6.8.4.2: a switch has at most one default label.
void f(int a) { switch (a) { default: break; default: break; } }
