kernel void k(__global int *out, __global const float *f) {
    __global float *a = out;
    __global float *b = f;
    __global void *v = out;
    a = v;
    out = (__global uint *)out;
    int d = out - a;
    out < a;
}
