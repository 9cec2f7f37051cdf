// OpenCL C 6.1.7: components as values and as objects.
kernel void values(global float *p, float2 a, float3 b, float4 c, float8 d, float16 e, uchar16 u) {
    p[0] = a.x + a.y + b.z + c.w + a.s0 + c.s3 + d.s7 + e.sA + e.sb + e.sF + e.sf + e.Sc + u.S9;
    float2 x = c.xy, y = c.wx, z = c.zz, w = c.s01, v = d.s70, t = b.yz;
    float3 o = c.xyz, q = c.www, r = d.s765;
    float4 f = c.wzyx, g = d.s0246, h = e.sFEDC, i = c.xxyy, j = a.xyxy;
    float8 k = e.lo, l = e.hi, m = e.even, n = e.odd, k2 = c.xyzwxyzw.s01234567, k3 = e.s02468ace;
    float16 big = e.s0123456789abcdef, rep = c.xyzwxyzwxyzwxyzw;
    p[1] = x.x + y.y + z.x + w.x + v.y + t.x + o.x + q.y + r.z + f.x + g.y + h.z + i.w + j.x;
    p[2] = k.s0 + l.s1 + m.s2 + n.s3 + k2.s4 + k3.s5 + big.sf + rep.s9;
    p[3] = c.lo.x + c.hi.y + c.even.x + c.odd.y + c.lo.hi + d.hi.lo.y + e.hi.hi.hi.hi + b.lo.x + b.hi.x + b.hi.y + b.even.y + b.odd.x;
    p[4] = c.xyzw.zw.y + c.wzyx.xy.yx.x + (a + 1).y + (float2)(1, 2).x + d.s7654.lo.odd + ((float4)(a, a)).hi.x;
    p[5] = c[0] + c[get_local_id(0)] + d[7];
}
kernel void objects(global float4 *g, local uchar8 *l, global float3 *t, float4 c, float16 e, int i) {
    c.x = 1; c.y += 2; c.z++; --c.w; c.xy = c.zw; c.zx = (float2)(3, 4); c.xyz = c.zyx; c.wzyx = c;
    c.lo = c.hi; c.even = 5; c.odd *= c.even; c.lo.y = 6; c.hi.lo = 7; c.xw += 1; c.s03 -= c.s12;
    e.s0f = e.sf0; e.hi = e.lo; e.even.lo = e.odd.hi; e.s89ab = c; e.lo.hi.even.x = 8; e.odd = 0;
    g[0].x = c.x; g[1].yz = c.xy; g[i].w += 1; g->lo = 2; (*g).hi.y = 3; g[2].wzyx = c; g[3].xyz *= 2; g[i].odd -= 1;
    l[0].s7 = 1; l[i].s0246 = (uchar4)(2); l[1].even += (uchar)1; l->hi.lo.x ^= 7; l[2].s3++;
    t[0].x = 1; t[1].yz = 2; t[2].zyx = t[3]; t[4].hi.x = 3; t[i].z *= 4;
    c[i & 3] = 9; c[1] += 1; g[1][i & 3] = 2; g[2][0]++;
    g[4] = c + e.s0123; g[5] = (g[6] = c).wzyx; g[7].xy = g[8].zw = (float2)(1, 2);
    struct { float4 v[2]; } s = {{c, c}};
    s.v[i & 1].yx = s.v[0].wz; s.v[1].lo.x = s.v[i & 1].hi.y; g[9] = s.v[1];
    constant float4 *k = 0; if (k) g[0].x = k->w + k[1].lo.y;
    uint4 m = {1, 2, 3, 4}; m.xz >>= 1; m.yw = ~m.yw; m.hi = m.lo.yx; m.x = m.y = m.z; g[0].x += m.w;
}
