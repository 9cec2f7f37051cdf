// The maximum of 0 and the minimum of 1 and a number is 1 for NaN.

// As it is, and as an operand.
//
// kernel: reversed_saturations
// global: 4
// arg: out uint 8 => [0x3f800000, 0x3e800000, 0x0, 0x3f800000, 0x0, 0x3f400000, 0x3f800000, 0x0]
// arg: in uint 4 = [0x7fc00000, 0x3e800000, 0xc0400000, 0x40e00000]
kernel void reversed_saturations(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  out[i] = as_uint(fmax(fmin(x / x * x, 1.0f), 0.0f));
  out[4 + i] = as_uint(1.0f - fmax(0.0f, fmin(1.0f, x)));
}
