kernel void k(__global int *out, int a) {
    out[0] = a / 0;
    out[1] = a % 0;
    a /= 0;
    out[2] = a / 1;
}
