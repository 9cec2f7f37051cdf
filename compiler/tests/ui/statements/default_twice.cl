// C99 6.8.4.2: one default.
void f(int a) { switch (a) { default: break; default: break; } }
