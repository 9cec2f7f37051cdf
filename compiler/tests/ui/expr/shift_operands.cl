kernel void k(__global int4 *out, int4 v, int2 w, int s, float f) {
    out[0] = v << w;
    out[1] = s << v;
    s = s << f;
    s <<= f;
    out[2] = v >> s;
}
