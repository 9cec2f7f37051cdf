// A position inside macros names the macros.
#define INNER(x) ((x) + missing)
#define OUTER(y) INNER(y) * 2
kernel void k(global int *p) {
    p[0] = OUTER(1);
}
