kernel void k(__global float *out, float4 v, float2 w, float s) {
    out[0] = v.q;
    out[1] = w.z;
    out[2] = v.s4;
    v.xx = w;
    v.xyzwx;
    out[3] = s.x;
    v.xyz = w;
    &v.x;
    out[4] = v[4];
}
