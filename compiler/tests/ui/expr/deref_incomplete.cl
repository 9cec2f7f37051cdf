// C99 6.5.3.2: an incomplete object has no value.
struct S;
void g(struct S *p);
void f(struct S *p) { *p = *p; }
