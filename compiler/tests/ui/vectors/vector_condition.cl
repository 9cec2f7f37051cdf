kernel void k(__global int4 *out, int4 a, long4 l, float4 f, int2 b) {
    if (a) out[0] = a;
    while (a == a) {}
    out[1] = f ? a : a;
    out[2] = l ? a : a;
    out[3] = b ? a : a;
    out[4] = a ? a : a;
}
