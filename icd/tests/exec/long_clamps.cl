// Several minima and maxima of one number: NVIDIA's driver made a saturation of them, which is 0 for NaN (compiler ADR 7).

// kernel: clamps
// global: 8
// arg: in uint 8 = [0x7fc00000, 0xffc00000, 0, 0x3f000000, 0x40000000, 0xc0000000, 0x7f800000, 0xff800000]
// arg: value float = -1
// arg: value float = 0
// arg: out float 8 => [1, 1, 0, 0.5, 1, 0, 1, 0]
// arg: out float 8 => [1, 1, 0, 0.5, 1, 0, 1, 0]
// arg: out float 8 => [1, 1, 0, 0.5, 1, 0, 1, 0]
// arg: out float 8 => [1, 1, 0, 0.5, 1, 0, 1, 0]
// arg: out float 8 => [1, 1, 0, 0.5, 1, 0, 1, 0]
// arg: out float 8 => [0, 0, 0, 0.5, 1, 0, 1, 0]
// arg: out float 8 => [0, 0, 0, 0.5, 1, 0, 1, 0]
kernel void clamps(global const float *x, float least, float zero, global float *a, global float *b, global float *c, global float *d,
                   global float *e, global float *f, global float *g) {
  const size_t i = get_global_id(0);
  float n = x[i];
  a[i] = fmax(fmin(n, 1.0f), 0.0f);
  b[i] = fmax(fmax(fmin(1.0f, n), -1.0f), 0.0f);
  c[i] = fmax(fmin(fmin(n, 2.0f), 1.0f), 0.0f);
  d[i] = fmax(fmax(fmin(n, 1.0f), least), 0.0f);
  float m = fmin(n, 1.0f);
  for (int k = 0; k < 3; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    m = fmax(m, convert_float(k - 2));
  }
  e[i] = m;
  f[i] = fmin(fmax(fmax(n, -1.0f), 0.0f), 1.0f);
  g[i] = fmin(fmin(fmax(n, 0.0f), 2.0f), 1.0f);
}
