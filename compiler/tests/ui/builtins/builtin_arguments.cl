kernel void k(__global float *out, float4 v, int4 i) {
    out[0] = sin(1, 2);
    out[1] = dot(v, i);
    out[2] = get_global_id();
    barrier();
}
