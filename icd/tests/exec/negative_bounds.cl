// Clamps whose lower bound is -0.

// Returns the bits of a number, and one of the NaNs.
uint bits(float x) { return isnan(x) ? 0x7fc00000 : as_uint(x); }

// A number below the bound, NaN, one between the bounds, one above, and an infinity.
//
// kernel: clamped_to_negative_zero
// global: 5
// arg: out uint 10 => [0x80000000, 0x80000000, 0x3f000000, 0x3f800000, 0x80000000, 0x80000000, 0x80000000, 0x3f000000, 0x3f800000, 0x80000000]
// arg: in uint 5 = [0xbf000000, 0x7fc00000, 0x3f000000, 0x40000000, 0xff800000]
kernel void clamped_to_negative_zero(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  out[i] = bits(fmin(fmax(x, -0.0f), 1.0f));
  out[5 + i] = bits(fmin(1.0f, fmax(-0.0f, x * 1.0f)));
}
