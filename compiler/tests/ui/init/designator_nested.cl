// C99 6.7.8: elements after a designated one are initialized in order.
void f(void) {
    struct { struct { int x, y; } p[2]; } s = {.p[1].z = 1};
    struct { int v; } t = {.v.x = 1};
}
