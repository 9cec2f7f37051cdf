// C99 6.5.2.4: ++ takes a number or pointer.
struct S { int a; };
void f(struct S s) { s++; --s; }
