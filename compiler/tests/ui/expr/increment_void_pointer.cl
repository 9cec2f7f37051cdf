// C99 6.5.6: the pointee has a size.
struct S;
void f(global struct S *p) { p++; }
