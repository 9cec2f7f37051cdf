// C99 6.7.8: an initializer of a union is for its first member.
void f(void) { union { int a; float b; } u = {1, 2.0f}; }
