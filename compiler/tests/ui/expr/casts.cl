struct S { int a; };
kernel void k(__global float4 *out, float f, struct S s, int4 i) {
    out[0] = (float4)i;
    f = (float)i;
    f = (float)s;
    s = (struct S)f;
    out = (__global float4 *)f;
    f = (float)out;
}
