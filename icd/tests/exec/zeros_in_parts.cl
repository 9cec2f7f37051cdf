// Products, sums and quotients of vectors that are put together from zeros and other numbers.

// Returns the bits of a number, and one of the NaNs.
uint bits(float x) { return isnan(x) ? 0x7fc00000 : as_uint(x); }

// The numbers are -1, an infinity, NaN, -0.
//
// kernel: parts
// global: 4
// arg: out uint 16 => [0x80000000, 0x7fc00000, 0x7fc00000, 0x80000000, 0x80000000, 0x80000000, 0x7fc00000, 0x7fc00000, 0, 0xff800000, 0x7fc00000, 0, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000]
// arg: in uint 4 = [0xbf800000, 0xff800000, 0x7fc00000, 0x80000000]
kernel void parts(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  float4 a = (float4)(x, 0.0f, 2.0f, x), b = (float4)(3.0f, x, x, 0.0f);
  out[i] = bits((a * b).y);
  out[4 + i] = bits((a / b).y);
  out[8 + i] = bits(((float2)(x, -0.0f) + (float2)(0.0f, x)).x - (x == -1.0f ? -1.0f : 0.0f));
  out[12 + i] = bits(((float2)(x, 0.0f) / (float2)(x, 0.0f)).y);
}
