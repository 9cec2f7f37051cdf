// Numbers that are not negative are compared with numbers below 0. NaN is neither greater nor less.

// Absolute values, squares, roots and powers.
//
// kernel: compared_with_negative
// global: 4
// arg: out uint 28 => [0x0, 0x1, 0x1, 0x1, 0x0, 0x1, 0x1, 0x1, 0x0, 0x0, 0x0, 0x0, 0x1, 0x0, 0x0, 0x0, 0x0, 0x1, 0x1, 0x1, 0x0, 0x1, 0x0, 0x1, 0x0, 0x1, 0x1, 0x1]
// arg: in uint 4 = [0x7fc00000, 0x0, 0xbf800000, 0x7f800000]
kernel void compared_with_negative(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  out[i] = fabs(x) > -1.0f;
  out[4 + i] = fabs(x) >= -0.5f;
  out[8 + i] = fabs(x) < -1.0f;
  out[12 + i] = !(fabs(x) > -1.0f);
  out[16 + i] = x * x > -1.0f;
  out[20 + i] = sqrt(x) > -1.0f;
  out[24 + i] = islessgreater(exp(x), -2.0f);
}

// A choice by the comparison, of vectors.
//
// kernel: chosen_by_comparison
// global: 4
// arg: out uint 4 => [0x0, 0x1, 0x1, 0x1]
// arg: in uint 4 = [0x7fc00000, 0x0, 0xbf800000, 0x7f800000]
kernel void chosen_by_comparison(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float2 x = (float2)(in[i], in[3 - i]);
  int2 r = isgreater(fabs(x), (float2)(-2.0f)) ? (int2)(1, 1) : (int2)(0, 0);
  out[i] = r.x;
}
