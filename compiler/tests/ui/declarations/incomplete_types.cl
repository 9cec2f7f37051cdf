struct S;
void v;
void f(struct S s) {}
struct T { struct S s; struct T *next; };
void g(void) {
    struct S a;
    int b[];
    void c;
    sizeof(struct S);
}
