// Comparisons of NaN that signs decide for all numbers: NVIDIA's driver took them for decided (compiler ADR 7, signed_comparisons).
// And tests for NaN of choices.

// kernel: negatives
// global: 4
// arg: out uint 48 => [0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0]
// arg: in float 4 = [nan, 5, 0 - 6, 0]
kernel void negatives(global uint *out, global const float *in) {
  size_t i = get_global_id(0);
  const float x = in[i];
  out[i] = -fabs(x) < 1.0f;
  out[4 + i] = isless(copysign(x, -1.0f), 1.0f);
  out[8 + i] = !(-fabs(x) < 1.0f);
  out[12 + i] = -fabs(x) <= 0.0f;
  out[16 + i] = !(-(x * x) <= 0.0f);
  out[20 + i] = 1.0f >= -fabs(x);
  out[24 + i] = islessgreater(-fabs(x), 2.0f);
  out[28 + i] = !islessgreater(copysign(x, -0.0f), 2.0f);
  out[32 + i] = fabs(x) >= -fabs(x);
  out[36 + i] = x * x >= copysign(x, -1.0f);
  out[40 + i] = -sqrt(fabs(x)) < 0x1p-20f;
  out[44 + i] = !(x * -x < 3.0f);
}

// kernel: chosen
// global: 4
// arg: out uint 12 => [0x7fc00000, 0x40a00000, 0xc0c00000, 0x0, 1, 0, 0, 0, 1, 1, 1, 1]
// arg: in float 4 = [nan, 5, 0 - 6, 0]
kernel void chosen(global uint *out, global const float *in) {
  size_t i = get_global_id(0);
  const float x = in[i];
  const float y = isnotequal(-x, 0.0f) ? INFINITY : -x;
  const float z = isordered(y, 0.0f) ? x : y;
  out[i] = isnan(z) ? 0x7fc00000 : as_uint(z);
  out[4 + i] = isnan(x > 0.0f ? 1.0f : x);
  out[8 + i] = !isnan(y);
}

// The same of a quotient that is converted to half.
//
// kernel: chosen_quotients
// global: 4
// arg: out uint 4 => [1, 0, 0, 0]
// arg: in float 4 = [nan, 5, 0 - 6, 0]
kernel void chosen_quotients(global uint *out, global const float *in) {
  size_t i = get_global_id(0);
  const float q = -0.5f / in[i];
  const float y = isnotequal(-q, 0.0f) ? INFINITY : -q;
  ushort h[2];
  vstore_half_rte(copysign(isordered(y, 0.0f) ? q : y, 1.0f), 1, (half *)h);
  out[i] = isnan(vload_half(1, (const half *)h)) ? 1 : 0;
}
