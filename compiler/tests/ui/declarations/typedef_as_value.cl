typedef int T;
kernel void k(__global int *out) {
    out[0] = T + 1;
}
