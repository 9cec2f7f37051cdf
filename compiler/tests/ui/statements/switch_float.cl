// C99 6.8.4.2: switch takes an integer.
void f(float a) { switch (a) { default: break; } }
