// C99 7.17: offsetof
struct S { int a; };
ulong f(void) { return __builtin_offsetof(struct S, b) + __builtin_offsetof(int, a); }
