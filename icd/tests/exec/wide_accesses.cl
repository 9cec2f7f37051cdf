// One lane of a vector of 64-bit integers, of which only the lower half is used, decides about a loop. For loads of 32 bytes of which
// a kernel uses so little, NVIDIA's driver (580) generated an instruction that an H200 does not have, and the kernel never ended.

constant long4 table[3] = {(long4)(1, 2, 3, 4), (long4)(3, 4, 1, 2), (long4)(2, 1, 4, 3)};

float after(float x, uint steps) {
  for (uint k = 0; k < steps; ++k) x = fmod((float)(x * x * 3.0), 4095.0f);
  return x;
}

// kernel: first
// global: 21
// local: 7
// arg: in long 84 = i / 4 % 2 * 4294967297
// arg: in float 21 = i
// arg: out float 21 => i % 2 == 0 ? a1[i] : a1[i] * a1[i] * 3 % 4095
kernel void first(global const long4 *in, global const float *x, global float *out) {
  size_t i = get_global_id(0);
  out[i] = after(x[i], convert_uint4(in[i]).s0 % 5u);
}

// kernel: second
// global: 21
// local: 7
// arg: in long 84 = i / 4 % 2 * 4294967297
// arg: in float 21 = i
// arg: out float 21 => i % 2 == 0 ? a1[i] : a1[i] * a1[i] * 3 % 4095
kernel void second(global const long4 *in, global const float *x, global float *out) {
  size_t i = get_global_id(0);
  out[i] = after(x[i], convert_uint4(in[i]).s1 % 5u);
}

// kernel: third
// global: 21
// local: 7
// arg: in long 84 = i / 4 % 2 * 4294967297
// arg: in float 21 = i
// arg: out float 21 => i % 2 == 0 ? a1[i] : a1[i] * a1[i] * 3 % 4095
kernel void third(global const long4 *in, global const float *x, global float *out) {
  size_t i = get_global_id(0);
  out[i] = after(x[i], convert_uint4(in[i]).s2 % 5u);
}

// kernel: fourth
// global: 21
// local: 7
// arg: in long 84 = i / 4 % 2 * 4294967297
// arg: in float 21 = i
// arg: out float 21 => i % 2 == 0 ? a1[i] : a1[i] * a1[i] * 3 % 4095
kernel void fourth(global const long4 *in, global const float *x, global float *out) {
  size_t i = get_global_id(0);
  out[i] = after(x[i], convert_uint4(in[i]).s3 % 5u);
}

// kernel: of_table
// global: 21
// local: 7
// arg: in float 21 = i
// arg: out float 21 => i % 3 != 2 ? a0[i] : a0[i] * a0[i] * 3 % 4095
kernel void of_table(global const float *x, global float *out) {
  size_t i = get_global_id(0);
  out[i] = after(x[i], (convert_uint4(table[i % 3]).s1 & 1u) * convert_uint4(table[i % 3]).s1);
}
