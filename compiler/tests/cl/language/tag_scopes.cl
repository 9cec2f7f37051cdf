// C99 6.2.1: a tag that is declared among the parameters of a prototype has the scope of the prototype; in a definition it
// has the scope of the body. A tag that is declared in the type of the result has file scope.
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
