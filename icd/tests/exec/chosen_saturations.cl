// A maximum with 0 that is a choice by a comparison, of a minimum with 1, which is 1 for NaN. NVIDIA's driver takes it for a saturation,
// whose result for NaN is 0.
// kernel: chosen_saturations
// global: 4
// arg: in uint 8 = [0x7fc00000, 0x3e800000, 0xc0400000, 0x40e00000, 0x7f800000, 0xffc00000, 0x3f800000, 0x80000000]
// arg: out ulong 4 => [1, 0, 0, 1]
// arg: out uint 8 => [0x3f800000, 0x3e800000, 0, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0]
// arg: out ulong 8 => [1, 0, 0, 1, 1, 1, 1, 0]
kernel void chosen_saturations(global const float *in, global ulong *a, global uint *b, global ulong *c) {
  const uint i = get_global_id(0);
  float x = in[i];
  float m = fmin(1.0f, x);
  a[i] = convert_ulong_sat(m > 0.0f ? m : 0.0f);
  float2 y = vload2(i, in);
  float2 n = fmin(1.0f, y);
  float2 r = 0.0f < n ? n : 0.0f;
  b[2 * i] = as_uint(r.x);
  b[2 * i + 1] = as_uint(r.y);
  ulong2 s = convert_ulong2_sat(n <= 0.0f ? 0.0f : n);
  c[2 * i] = s.x;
  c[2 * i + 1] = s.y;
}
// The absolute value of a choice between constants, one of which is a zero with a sign.
// kernel: chosen_absolutes
// global: 4
// arg: in float 4 = [0.25, -3, -1.0000001, 2]
// arg: out uint 4 => [0, 0x40000000, 0, 0]
// arg: out uint 4 => [0, 0x3f800001, 0, 0]
// arg: out uint 4 => [0, 0x40400000, 0x3f800001, 0]
kernel void chosen_absolutes(global const float *in, global uint *a, global uint *b, global uint *c) {
  const uint i = get_global_id(0);
  const float z = in[i], k = -0x800001p-23f;
  a[i] = as_uint(ldexp(trunc(fabs(-(isgreaterequal(z, k) ? 0.0f : k))), 1));
  b[i] = as_uint(fabs(z >= k ? -0.0f : k));
  c[i] = as_uint(fabs(-(z > 0.0f ? 0.0f : z)));
}
