// Vector arithmetic, comparisons, selection, conversions, of 2 to 16 lanes.
__kernel void vectors(__global const int* in, __global int* out) {
  int gid = get_global_id(0);
  int4 a = vload4(gid, in), b = a.yzwx * 3 - 7;
  int4 m = a < b;
  int4 s = m ? a : b;
  s += select(a, b, m) + (a == b) + !(a - a) + (a && b);
  float4 f = convert_float4(s) * 0.5f + (float4)(1, 2, 3, 4);
  f = f > 3.0f ? sqrt(f) : -f;
  int4 fi = convert_int4_sat(f) ^ as_int4(f >= 0.0f);
  uchar16 u = (uchar16)(as_uchar4(a.x), as_uchar4(b.y), as_uchar4(s.z), as_uchar4(fi.w));
  u = u * (uchar)3 + u.sFEDCBA9876543210;
  u = rotate(u, (uchar16)(3)) & (uchar)~u.s0;
  short16 sh = convert_short16(u) - (short)100;
  sh = max(sh, (short16)(0)) + (sh > (short16)(20));
  long2 l = convert_long2(a.xy) * 100000L;
  l = l << (long2)(3, gid);
  int8 e = (int8)(a, b);
  e = gid & 1 ? e : e.s76543210;
  for (int i = 0; i < 3; i++) e = e * 3 + (e > 100 ? (int8)(i) : e.s10325476);
  int r = any(e > 1000) * 2 + all(a >= 0);
  out[gid] = s.x + s.w * 3 + fi.y + fi.z * 5 + sh.s3 + sh.sf * 7 + (int)(l.x ^ l.y) + e.s0 + e.s7 * 11 + r;
}
