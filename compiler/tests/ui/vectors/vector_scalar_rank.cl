kernel void k(float4 f, int4 i, double d, long l, float s, uint u) {
    f = f * d;
    i = i + l;
    i = i + s;
    i = i + u;
    i += l;
    f = f * 2.0;
    i = i + 1u;
    f = f + l;
}
