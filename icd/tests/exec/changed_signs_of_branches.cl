// A branch chooses a vector of steps, whose signs are changed afterwards. The zeros keep the new sign.

// Returns the bits of numbers, and one of the NaNs.
uint4 bits(float4 x) { return isnan(x) ? (uint4)(0x7fc00000) : as_uint4(x); }

// kernel: negated_branch
// global: 2
// arg: out uint 8 => [0x80000000, 0xbf800000, 0xbf800000, 0x80000000, 0xff800000, 0xff800000, 0xff800000, 0xff800000]
// arg: in uint 8 = [0x40000000, 0x3f800000, 0xbf800000, 0x40400000, 0x7f800000, 0x3f800000, 0x3f800000, 0x3f800000]
// arg: in uint 8 = [0x3f800000, 0x40000000, 0x3f800000, 0x40000000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000]
kernel void negated_branch(global uint4 *out, global const float4 *xs, global const float4 *ys) {
  int i = get_global_id(0);
  float4 x = xs[i], y = ys[i];
  float4 r;
  if (x.s0 == INFINITY)
    r = (float4)(INFINITY);
  else
    r = step(x, y);
  out[i] = bits(-r);
}

// kernel: negated_result_of_a_loop
// global: 4
// arg: out uint 4 => [0x80000000, 0xbf800000, 0x80000000, 0xbf800000]
// arg: in uint 4 = [0x40000000, 0x3f800000, 0x40400000, 0xbf800000]
// arg: in uint 4 = [0x3f800000, 0x40000000, 0x40000000, 0x3f800000]
// arg: value uint = 3
kernel void negated_result_of_a_loop(global uint *out, global const float *xs, global const float *ys, uint n) {
  int i = get_global_id(0);
  float x = xs[i], y = ys[i];
  float r = 5.0f;
  for (uint k = 0; k < n; k++)
    r = y < x ? 0.0f : 1.0f;
  out[i] = as_uint(-r);
}
