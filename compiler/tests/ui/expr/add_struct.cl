// C99 6.5.6: the operands of + are numbers.
struct S { int a; };
void f(struct S s) { s + 1; s - s; }
