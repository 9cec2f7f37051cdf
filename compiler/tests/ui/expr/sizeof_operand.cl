struct S;
kernel void k(__global ulong *out) {
    out[0] = sizeof(struct S);
    out[1] = sizeof(k);
    out[2] = vec_step(struct S);
    out[3] = sizeof(float3) + vec_step(float3);
}
