// kernel: swizzles
// global: 16
// arg: in float 64 = i
// arg: out float 64 => i % 4 == 0 ? a0[i + 3] : i % 4 == 1 ? a0[i + 1] : i % 4 == 2 ? a0[i - 2] * 2 : 7
kernel void swizzles(global const float4 *in, global float4 *out) {
  float4 v = in[get_global_id(0)], r;
  r.xy = v.wz;
  r.z = v.x + v.s0;
  r.hi.y = 7.0f;
  out[get_global_id(0)] = r;
}
// kernel: sixteen
// global: 4
// arg: in int 64 = i
// arg: in int 64 = 1000 - i
// arg: out int 64 => i % 16 < 8 ? a0[i] * a1[i] : max(a0[i], a1[i]) + i % 16
kernel void sixteen(global const int16 *a, global const int16 *b, global int16 *r) {
  int i = get_global_id(0);
  int16 x = a[i], y = b[i];
  int16 m = max(x, y) + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  r[i] = (int16)((x * y).lo, m.hi);
}
// kernel: threes
// global: 8
// arg: in float 24 = i
// arg: out float 24 => i % 3 == 0 ? a0[i] + 1 : i % 3 == 1 ? a0[i] * 2 : -a0[i]
kernel void threes(global const float *in, global float *out) {
  int i = get_global_id(0);
  float3 v = vload3(i, in);
  v = (float3)(v.x + 1, v.y * 2, -v.z);
  vstore3(v, i, out);
}
// kernel: compare
// global: 32
// arg: in int 32 = (i * 5) % 16
// arg: in int 32 = 8
// arg: out int 32 => a0[i] < a1[i] ? -1 : 0
// arg: out int 32 => a0[i] < a1[i] ? a0[i] : a1[i] + 1
kernel void compare(global const int8 *a, global const int8 *b, global int8 *less, global int8 *chosen) {
  int i = get_global_id(0);
  if (i < 4) {
    int8 l = a[i] < b[i];
    less[i] = l;
    chosen[i] = l ? a[i] : b[i] + 1;
  }
}
// kernel: conversions
// global: 16
// arg: in float 64 = (i - 32) * 10.75
// arg: out uchar 64 => a0[i] < 0 ? 0 : a0[i] > 255 ? 255 : int(rint(a0[i]))
// arg: out int 64 => int(floor(a0[i]))
// arg: out short 64 => int(a0[i])
kernel void conversions(global const float4 *in, global uchar4 *a, global int4 *b, global short4 *c) {
  int i = get_global_id(0);
  a[i] = convert_uchar4_sat_rte(in[i]);
  b[i] = convert_int4_rtn(in[i]);
  c[i] = convert_short4(in[i]);
}
// kernel: reinterpret
// global: 8
// arg: in uint 32 = rnd(i)
// arg: out uchar 128 => (a0[i / 4] >> (8 * (i % 4))) & 255
kernel void reinterpret(global const uint4 *in, global uchar16 *out) {
  out[get_global_id(0)] = as_uchar16(in[get_global_id(0)]);
}
// Scalars that a vector chooses between are not promoted (6.3.i).
// kernel: scalar_arms
// global: 1
// arg: in char 16 = i % 3 - 1
// arg: value char = 5
// arg: value short = -7
// arg: out char 16 => a0[i] < 0 ? 5 : 9
// arg: out short 16 => a0[i] < 0 ? -7 : 5
kernel void scalar_arms(global const char *c, char x, short y, global char *o, global short *p) {
  char16 v = vload16(0, c);
  char nine = 9;
  vstore16(v ? x : nine, 0, o);
  vstore16(convert_short16(v) ? y : x, 0, p);
}
