// C99 6.8.4.2: switch takes an integer.
struct S { int a; };
void f(struct S a) { switch (a) { default: break; } }
