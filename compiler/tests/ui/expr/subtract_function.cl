// C99 6.5.6: pointer arithmetic needs pointers to objects.
struct S;
void f(global struct S *p, global struct S *q) { p - q; p + 1; }
