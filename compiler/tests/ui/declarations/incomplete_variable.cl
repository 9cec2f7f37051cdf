// C99 6.7: an object has a complete type.
struct S;
void f(void) { struct S x; union U y; }
