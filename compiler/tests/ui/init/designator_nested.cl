// C99 6.7.8: designators go on.
void f(void) {
    struct { struct { int x, y; } p[2]; } s = {.p[1].z = 1};
    struct { int v; } t = {.v.x = 1};
}
