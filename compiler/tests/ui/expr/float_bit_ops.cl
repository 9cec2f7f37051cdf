kernel void k(__global float *out, float a, float4 v) {
    out[0] = a % 2;
    out[1] = a & 1;
    out[2] = ~a;
    v = ~v;
    v ^= v;
    out[3] = !a;
}
