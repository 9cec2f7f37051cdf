#define BAD(x) ((x) + nothing)
kernel void k(__global int *out) {
    out[0] = BAD(1);
}
