void f(void) {
    __local int a;
    __constant int b = 1;
}
kernel void k(__global int *p) {
    __local int ok[4];
    __local int init = 1;
    if (p[0]) {
        __local int inner;
    }
    __global int g;
    static int s;
    extern int e;
}
