// A declaration of a function may define the type of its result, once.
struct pair { int x; float y; } make(int x);
enum color { RED, GREEN } next(enum color c);
struct pair make(int x) {
    struct pair p = {x, 1.0f};
    return p;
}
enum color next(enum color c) {
    return c == RED ? GREEN : RED;
}
kernel void k(global int *out) {
    struct triple { int a[3]; } of(int a);
    struct triple t = {{1, 2, 3}};
    out[0] = make(t.a[0]).x + next(RED);
}
