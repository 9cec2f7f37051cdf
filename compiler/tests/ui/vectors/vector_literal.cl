kernel void k(__global float4 *out, float2 a, float3 b) {
    out[0] = (float4)(a, 1);
    out[1] = (float4)(a, b);
    out[2] = (float4)(1, 2, 3);
    out[3] = (float4)(a, a);
    out[4] = (float4)((int2)(1, 2), a);
    out[5] = (float4)(1);
}
