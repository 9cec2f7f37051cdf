// C99 6.5.2.3: the member exists.
struct S { int value; };
int f(struct S s) { return s.valeu + s.other; }
