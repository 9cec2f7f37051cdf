// Integer arithmetic in all widths, conversions, comparisons, shifts.
__kernel void arithmetic(__global const int* in, __global long* out) {
  int gid = get_global_id(0);
  int x = in[gid] * 7919 - 50000;
  uint ux = x;
  long lx = (long)x * x - 12345678901L;
  ulong ul = lx;
  char c = x;
  uchar uc = x;
  short s = x >> 3;
  ushort us = x >> 3;
  long r = 0;
  r += c * 3 + uc / 7 + s % 11 + us % 13;
  r ^= (long)(x << (gid & 63)) + (ux >> (gid + 30)) + (x >> 40);
  r += lx / 77 + (long)(ul / 1000003u) - lx % 1001 + (long)(ul % 1001);
  r = r * 31 + (c < uc) + (s == us) * 2 + (x < ux) * 4 + (lx > (long)ul) * 8 + (c && s || !x);
  c += 100;
  uc -= 200;
  s *= s;
  us <<= 5;
  ux |= c;
  r += c + uc + s + us + ux + ~x - -lx;
  float f = x * 0.37f;
  double d = f;
  r += (int)f + (long)d + (uchar)(f < 0 ? -f / 1000 : f / 1000) + (f > 100) + (uint)fabs(f);
  r += convert_int_sat(d * 1e6) + convert_uchar_sat(x) + convert_short_rte(f / 100);
  bool b = x & 16;
  b |= gid > 5;
  r += b + (b ? 3 : -3) + (x++ - --x) + (gid ? x, 5 : 6);
  out[gid] = r;
}
