void f(__global __local int *p) {}
kernel void k(__global int *p) {
    __local __global int x;
}
