kernel void k(__global int *out) {
    __global int *p = 5;
    int i = out;
    p = 0;
    p = (__global int *)5;
    i = (int)(size_t)out;
    if (p == 7) i = 1;
    if (p == 0) i = 2;
}
