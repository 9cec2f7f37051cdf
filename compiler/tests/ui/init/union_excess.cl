// C99 6.7.8: a union's first member.
void f(void) { union { int a; float b; } u = {1, 2.0f}; }
