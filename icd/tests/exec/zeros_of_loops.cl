// Negative zeros that a loop begins with, or that are chosen, and then pass minima and fmod: with NVIDIA's driver, the first became +0
// (compiler ADR 7, chosen_negative_zeros).

// kernel: minima
// global: 4
// arg: out uint 12 => [0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000]
// arg: in float 4 = [3, 5, 7, 9]
// arg: value uint = 2
kernel void minima(global uint *out, global const float *in, uint times) {
  size_t i = get_global_id(0);
  float r = as_float(0x80000000u);
  for (uint n = 0; n < (times & 3u) + 1u; n++)
    r = fmod(fmin(r, 1.0f), in[i]);
  out[i] = as_uint(r);
  float s = -0.0f;
  for (uint n = 0; n < 3u; n++)
    s = fmax(fmin(s, in[i]), -1.0f);
  out[4 + i] = as_uint(s);
  float t = times > 1 ? -0.0f : in[i];
  out[8 + i] = as_uint(fmin(fmax(t, -2.0f), 1.0f));
}
