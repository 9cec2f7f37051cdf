// Of a vector with infinite elements, normalize counts these (CL 7.5.1) as 1 or -1 and the others as 0; an element that is
// NaN makes the result NaN, which the kernels store as 9.
//
// kernel: scalars
// global: 4
// arg: in uint 4 = [0x7f800000, 0xff800000, 0x40000000, 0x7fc00000]
// arg: out float 4 => [1, -1, 1, 9]
// ulp: 4
//
// kernel: pairs
// global: 4
// arg: in uint 8 = [0x7f800000, 0x40000000, 0x40000000, 0xff800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800000]
// arg: out float 8 => [1, 0, 0, -1, 0.70710678118, -0.70710678118, 9, 9]
// ulp: 16
//
// kernel: triples
// global: 2
// arg: in uint 6 = [0x40000000, 0x7f800000, 0x40000000, 0x7f800000, 0x7f800000, 0x7f800000]
// arg: out float 6 => [0, 1, 0, 0.57735026919, 0.57735026919, 0.57735026919]
// ulp: 16
//
// kernel: quadruples
// global: 3
// arg: in uint 12 = [0xff800000, 0x40000000, 0x40000000, 0x40000000, 0x7f800000, 0x7f800000, 0xff800000, 0xff800000, 0x40000000, 0x40000000, 0x7fc00000, 0x7f800000]
// arg: out float 12 => [-1, 0, 0, 0, 0.5, 0.5, -0.5, -0.5, 9, 9, 9, 9]
// ulp: 16

float seen(float x)
{
    return isnan(x) ? 9.0f : (float)x;
}

kernel void scalars(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = seen(normalize(in[i]));
}

kernel void pairs(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float2 r = normalize(vload2(i, in));
    vstore2((float2)(seen(r.x), seen(r.y)), i, out);
}

kernel void triples(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float3 r = normalize(vload3(i, in));
    vstore3((float3)(seen(r.x), seen(r.y), seen(r.z)), i, out);
}

kernel void quadruples(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float4 r = normalize(vload4(i, in));
    vstore4((float4)(seen(r.x), seen(r.y), seen(r.z), seen(r.w)), i, out);
}
