// Of a vector with infinite elements, normalize counts these (CL 7.5.1) as 1 or -1 and the others as 0; an element that is
// NaN makes the result NaN, which the kernels store as 9.
//
// needs: cl_khr_fp16
//
// kernel: scalars
// global: 4
// arg: in ushort 4 = [0x7c00, 0xfc00, 0x4000, 0x7e00]
// arg: out float 4 => [1, -1, 1, 9]
// ulp: 4
//
// kernel: pairs
// global: 4
// arg: in ushort 8 = [0x7c00, 0x4000, 0x4000, 0xfc00, 0x7c00, 0xfc00, 0x7e00, 0x7c00]
// arg: out float 8 => [1, 0, 0, -1, 0.70703125, -0.70703125, 9, 9]
// ulp: 16384
//
// kernel: triples
// global: 2
// arg: in ushort 6 = [0x4000, 0x7c00, 0x4000, 0x7c00, 0x7c00, 0x7c00]
// arg: out float 6 => [0, 1, 0, 0.5771484375, 0.5771484375, 0.5771484375]
// ulp: 16384
//
// kernel: quadruples
// global: 3
// arg: in ushort 12 = [0xfc00, 0x4000, 0x4000, 0x4000, 0x7c00, 0x7c00, 0xfc00, 0xfc00, 0x4000, 0x4000, 0x7e00, 0x7c00]
// arg: out float 12 => [-1, 0, 0, 0, 0.5, 0.5, -0.5, -0.5, 9, 9, 9, 9]
// ulp: 16384

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

float seen(half x)
{
    return isnan(x) ? 9.0f : (float)x;
}

kernel void scalars(global const half *in, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = seen(normalize(in[i]));
}

kernel void pairs(global const half *in, global float *out)
{
    size_t i = get_global_id(0);
    half2 r = normalize(vload2(i, in));
    vstore2((float2)(seen(r.x), seen(r.y)), i, out);
}

kernel void triples(global const half *in, global float *out)
{
    size_t i = get_global_id(0);
    half3 r = normalize(vload3(i, in));
    vstore3((float3)(seen(r.x), seen(r.y), seen(r.z)), i, out);
}

kernel void quadruples(global const half *in, global float *out)
{
    size_t i = get_global_id(0);
    half4 r = normalize(vload4(i, in));
    vstore4((float4)(seen(r.x), seen(r.y), seen(r.z), seen(r.w)), i, out);
}
