kernel void k(__global float4 *out, int4 i, float2 f2, float4 f4) {
    out[0] = i;
    out[1] = f4 + i;
    out[2] = f4 + f2;
    out[3] = (float4)i;
    int4 j = f4;
    f4 = f4 == f4;
}
