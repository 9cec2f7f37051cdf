foo_t f(int a);
kernel void k(__global int *out) {
    struct Unknown s;
    struct Unknown *p = 0;
    p->x = 1;
}
