kernel void k(__global int *out, int a, __global void *v) {
    *a = 1;
    *v;
    a[3] = 1;
    out[1.0f] = 2;
    1[out] = 2;
    a->x = 1;
}
