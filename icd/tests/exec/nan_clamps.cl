// A minimum and a clamp of NaN. The driver of an NVIDIA GPU (version 580) replaces both by a saturation.

// kernel: clamped
// global: 8
// arg: in uint 8 = [0x7fc00000, 0xffc00000, 0x40400000, 0xbf800000, 0x3f000000, 0x7f800000, 0xff800000, 0x3f800000]
// arg: out float 16 => [1, 1, 1, 0, 0.5, 1, 0, 1, 1, 1, 1, 0, 0.5, 1, 0, 1]
kernel void clamped(global const uint *a, global float *r) {
  int i = get_global_id(0);
  float x = as_float(a[i]);
  r[i] = clamp(fmin(x, 2.0f), 0.0f, 1.0f);
  r[8 + i] = fmin(fmax(fmin(x, INFINITY), 0.0f), 1.0f);
}
