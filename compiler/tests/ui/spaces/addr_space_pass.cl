int load(__global const int *p) { return *p; }
kernel void k(__local int *l, __constant int *c, __global int *g) {
    int x = 1;
    load(l);
    load(c);
    load(&x);
    load(g);
}
