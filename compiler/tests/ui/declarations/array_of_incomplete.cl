// C99 6.7.5.2: elements are complete.
struct S;
void f(void) { struct S x[2]; }
