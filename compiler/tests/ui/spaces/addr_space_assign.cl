void f(__global int *g, __local int *l, __private int *p, __constant int *c) {
    g = l;
    p = g;
    g = c;
    l = (__local int *)g;
    g = (__global int *)c;
}
