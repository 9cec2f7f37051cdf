// Minima and maxima with -0, and quotients whose divisor two bounds make 0.

// Returns the bits of a number, and one of the NaNs.
uint bits(float x) { return isnan(x) ? 0x7fc00000 : as_uint(x); }

// The numbers are 1, -1, NaN and the infinities.
//
// kernel: minimum_with_negative_zero
// global: 5
// arg: out uint 15 => [0x80000000, 0xbf800000, 0x80000000, 0x80000000, 0xff800000, 0x3f800000, 0x80000000, 0x80000000, 0x7f800000, 0x80000000, 0x80000000, 0xbf800000, 0x80000000, 0x80000000, 0xff800000]
// arg: in uint 5 = [0x3f800000, 0xbf800000, 0x7fc00000, 0x7f800000, 0xff800000]
kernel void minimum_with_negative_zero(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  out[i] = bits(fmin(x, -0.0f));
  out[5 + i] = bits(fmax(x, -0.0f));
  out[10 + i] = bits(fmin((float2)(x, x), (float2)(-0.0f, 2.0f)).x);
}

// kernel: divided_by_limited
// global: 4
// arg: out uint 12 => [0x7f800000, 0xff800000, 0x7fc00000, 0x7f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7f800000, 0x7fc00000, 0xff800000]
// arg: in uint 4 = [0x3f800000, 0xbf800000, 0x00000000, 0x7f800000]
kernel void divided_by_limited(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i], y = in[3 - i];
  out[i] = bits(x / fmax(fmin(y, -1.0f), 0.0f));
  out[4 + i] = bits(x / fmin(fmax(fmin(y, -1.0f), 0.0f), 1.0f));
  out[8 + i] = bits(x / -fmax(fmin((float2)(y, x), -1.0f), 0.0f).x);
}
