// C99 6.7.8: a designator names a member.
void f(void) { struct { int x; } s = {.y = 1}; }
