// Of a vector with infinite elements, normalize counts these (CL 7.5.1) as 1 or -1 and the others as 0; an element that is
// NaN makes the result NaN, which the kernels store as 9.
//
// needs: cl_khr_fp64
//
// kernel: scalars
// global: 4
// arg: in ulong 4 = [0x7ff0000000000000, 0xfff0000000000000, 0x4000000000000000, 0x7ff8000000000000]
// arg: out float 4 => [1, -1, 1, 9]
// ulp: 4
//
// kernel: pairs
// global: 4
// arg: in ulong 8 = [0x7ff0000000000000, 0x4000000000000000, 0x4000000000000000, 0xfff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000000]
// arg: out float 8 => [1, 0, 0, -1, 0.70710678118, -0.70710678118, 9, 9]
// ulp: 16
//
// kernel: triples
// global: 2
// arg: in ulong 6 = [0x4000000000000000, 0x7ff0000000000000, 0x4000000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000]
// arg: out float 6 => [0, 1, 0, 0.57735026919, 0.57735026919, 0.57735026919]
// ulp: 16
//
// kernel: quadruples
// global: 3
// arg: in ulong 12 = [0xfff0000000000000, 0x4000000000000000, 0x4000000000000000, 0x4000000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0x4000000000000000, 0x4000000000000000, 0x7ff8000000000000, 0x7ff0000000000000]
// arg: out float 12 => [-1, 0, 0, 0, 0.5, 0.5, -0.5, -0.5, 9, 9, 9, 9]
// ulp: 16

float seen(double x)
{
    return isnan(x) ? 9.0f : (float)x;
}

kernel void scalars(global const double *in, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = seen(normalize(in[i]));
}

kernel void pairs(global const double *in, global float *out)
{
    size_t i = get_global_id(0);
    double2 r = normalize(vload2(i, in));
    vstore2((float2)(seen(r.x), seen(r.y)), i, out);
}

kernel void triples(global const double *in, global float *out)
{
    size_t i = get_global_id(0);
    double3 r = normalize(vload3(i, in));
    vstore3((float3)(seen(r.x), seen(r.y), seen(r.z)), i, out);
}

kernel void quadruples(global const double *in, global float *out)
{
    size_t i = get_global_id(0);
    double4 r = normalize(vload4(i, in));
    vstore4((float4)(seen(r.x), seen(r.y), seen(r.z), seen(r.w)), i, out);
}
