// C99 6.2.1: a tag that is declared among the parameters of a prototype has the scope of the prototype; in a definition it
// has the scope of the body. A tag that is declared in the type of the result has file scope. Enumerators have the scope of
// their tag.
struct result { int r; };
int declared(struct tag { int a; } *p);
int defined(struct tag { int b; int c; } *p) {
    struct tag local_copy = *p;
    return local_copy.b + p->c;
}
struct last { int x; } made(int x) {
    struct last l = { x };
    return l;
}
kernel void first(global int *o, global struct tag { int x; } *p) {
    struct tag t = *p;
    {
        struct tag { float inner; } u = { 1.5f };
        o[1] = (int)u.inner;
    }
    o[0] = t.x;
}
kernel void second(global int *o, global struct tag { float y; } *p, global struct last *q) {
    o[0] = p->y + q->x + made(3).x;
}
struct tag { int z; };
kernel void third(global struct tag *t) { t->z = 1; }
int counted(enum { FEW = 3, MANY } e);
enum result_kind { NONE = 5 } kind_of(enum kind { FEW = 7, MANY } k) {
    char inside[FEW == 7 && MANY == 8 ? 1 : -1];
    inside[0] = k == MANY;
    return inside[0] ? NONE : (enum result_kind)FEW;
}
enum { FEW = 1, MANY };
constant char outside[FEW == 1 && MANY == 2 && NONE == 5 ? 1 : -1] = { FEW };
kernel void fourth(global int *o) {
    int declared_within(enum { ONE = 11 } e);
    enum { ONE = 12 };
    o[0] = kind_of(8) + outside[0] + ONE + MANY;
}
