// fmin and fmax with constants that are NaN: NVIDIA's driver took the result for a number with the sign of the NaN (compiler ADR 7,
// nan_bounds).

// The constant is in the source. ldexp looks at the bits of its operand.
//
// kernel: constants
// global: 8
// arg: out uint 32 => [0xd84339e8, 0xff800000, 0xbd000000, 0x3b800000, 0x3b800000, 0x3b800000, 0x80000000, 0x3b800000, 0x4ec339e8, 0x7f7ffffe, 0x33800000, 0x32000000, 0x40a00000, 0x7f800000, 0x80000000, 0x3f800000, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0]
// arg: in uint 8 = [0xcec339e8, 0xff7ffffe, 0xb3800000, 0x32000000, 0x40a00000, 0x7f800000, 0x80000000, 0x3f800000]
kernel void constants(global uint *out, global const float *in) {
  size_t i = get_global_id(0);
  const float x = in[i];
  const float y = fmin(fmax(x, nan(0u)), 0x1p-27f);
  out[i] = as_uint(ldexp(y, 19));
  out[8 + i] = as_uint(x >= 0.0f ? fmax(x, nan(0u)) : fabs(fmax(x, nan(0u))));
  out[16 + i] = as_uint(fmax(x, NAN)) >> 31;
  out[24 + i] = signbit(fmin(NAN, fmax(NAN, x))) != 0;
}

// The constant is a lane, or is chosen.
//
// kernel: lanes_and_choices
// global: 8
// arg: out uint 24 => [1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// arg: in uint 8 = [0xcec339e8, 0xff7ffffe, 0xb3800000, 0x32000000, 0x40a00000, 0x7f800000, 0x80000000, 0x3f800000]
// arg: value int = 1
kernel void lanes_and_choices(global uint *out, global const float *in, int one) {
  size_t i = get_global_id(0);
  const float x = in[i];
  const float2 v = fmax((float2)(x), (float2)(NAN, 1.0f));
  out[i] = as_uint(v.s0) >> 31;
  out[8 + i] = as_uint(fmax(x, one > 0 ? NAN : 2.0f)) >> 31;
  out[16 + i] = as_uint(v.s1) >> 31;
}
