// Truth values that become floats, whose bits are used; zeros beside a number that is 1 because of the condition; comparisons of absolute values
// with 0.
// kernel: truths
// global: 4
// arg: out uint 12 => [0x3f800000, 0, 0x3f800000, 0x3f800000, 0x3f800000, 0, 0x3f800000, 0x3f800000, 0x40000000, 0, 0x40000000, 0x40000000]
// arg: in uint 4 = [0x40000000, 0x00000000, 0xbf800000, 0x7fc00000]
kernel void truths(global uint *out, global const float *in) {
  int i = get_global_id(0), n = 0;
  float x = in[i];
  if (x != 0.0f)
    n++;
  out[i] = as_uint(convert_float(n));
  out[4 + i] = as_uint((float)(x != 0.0f ? 1u : 0u));
  out[8 + i] = as_uint(convert_float2((int2)(n, n)).y * 2.0f);
}

// The numbers are 1, -1, NaN, 2.
//
// kernel: zeros_beside_one
// global: 4
// arg: out uint 8 => [0x3f800000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0xbf800000, 0x80000000, 0x80000000]
// arg: in uint 4 = [0x3f800000, 0xbf800000, 0x7fc00000, 0x40000000]
kernel void zeros_beside_one(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  out[i] = as_uint(-(x != 1.0f ? 0.0f : -x));
  out[4 + i] = as_uint(-(x == -1.0f ? -x : 0.0f));
}

// Where the number is NaN, the comparisons are false.
//
// kernel: not_below_zero
// global: 3
// arg: out uint 9 => [1, 0, 1, 1, 0, 1, 0, 1, 0]
// arg: in uint 3 = [0x3f800000, 0x7fc00000, 0xff800000]
kernel void not_below_zero(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  out[i] = fabs(x) >= 0.0f;
  out[3 + i] = 0.0f <= fabs(x) * 2.0f;
  out[6 + i] = !(x * x >= 0.0f);
}
