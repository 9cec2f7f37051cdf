// needs: cl_khr_fp16
// Bits of halves that are minima or maxima, or whose range is known otherwise: NVIDIA's driver took the upper half of the register of such a
// number for 0 (compiler ADR 7, half_clamps).

// kernel: bounds
// global: 16
// arg: in ushort 16 = [0x0, 0x1, 0x3c00, 0x3c01, 0x4000, 0x4001, 0x7bff, 0x7c00, 0x27c8, 0x3bff, 0x3fff, 0x4200, 0x2e66, 0x3555, 0x1234, 0x3800]
// arg: value half = -2
// arg: out int 16 => (a0[i] < 16384 ? a0[i] : 16384) >> 5
// arg: out int 16 => (a0[i] < 16384 ? a0[i] : 16384) >> 5
// arg: out int 16 => (a0[i] < 16384 ? a0[i] : 16384) >> 5
// arg: out int 16 => (a0[i] < 16384 ? a0[i] : 16384) >> 5
// arg: out int 16 => (a0[i] < 16384 ? a0[i] : 16384) >> 5
// arg: out int 16 => (a0[i] < 16384 ? a0[i] : 16384) >> 5
// arg: out int 16 => (a0[i] < 16384 ? a0[i] : 16384) + 1
// arg: out int 16 => (a0[i] < 15360 ? a0[i] : 15360) >> 5
// arg: out int 16 => (a0[i] < 15360 ? a0[i] : 15360) >> 5
// arg: out int 16 => (a0[i] < 16384 ? a0[i] : 16384) >> 5
// arg: out int 16 => a0[i] < 16384 ? a0[i] : 16384
kernel void bounds(global const half *x, half least, global int *a, global int *b, global int *c, global int *d, global int *e, global int *f,
                   global int *g, global int *h, global int *j, global int *k, global int *l) {
  const size_t i = get_global_id(0);
  half n = x[i];
  a[i] = as_ushort(fmin(fmax(n, (half)0), (half)2)) >> 5;
  b[i] = as_ushort(fmin(fabs(n), (half)2)) >> 5;
  c[i] = as_ushort(fmin(fmax(fmax(n, (half)0), least), (half)2)) >> 5;
  d[i] = as_ushort(fmin(fmax(fmax(n, least), (half)0), (half)2)) >> 5;
  half m = fmax(n, (half)0);
  m = fmax(m, m);
  e[i] = as_ushort(fmin(m, (half)2)) >> 5;
  f[i] = as_ushort(fmax(fmin(fmax(n, (half)0), (half)2), least)) >> 5;
  g[i] = as_ushort(fmin(fmax(n, (half)0), (half)2)) + 1;
  h[i] = as_ushort(fmax(fmin(n, (half)1), (half)0)) >> 5;
  j[i] = as_ushort(fmin(fmax(fmin(fabs(n), (half)3), least), (half)1)) >> 5;
  k[i] = as_ushort(n > (half)2 ? (half)2 : n < (half)0 ? (half)0 : n) >> 5;
  l[i] = as_ushort(fmin(fmax(n, (half)0), (half)2));
}

// kernel: of_integers
// global: 16
// arg: in ushort 16 = [0x0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x7, 0x8, 0x10, 0x20, 0x40, 0x80, 0xff, 0x100, 0x200, 0x400]
// arg: out int 16 => [0, 480, 512, 528, 544, 552, 568, 576, 608, 640, 672, 704, 735, 736, 768, 800]
// arg: out int 16 => [0, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480]
// arg: out int 16 => [0, 480, 512, 528, 544, 552, 568, 576, 608, 640, 672, 704, 735, 0, 0, 0]
kernel void of_integers(global const ushort *x, global int *a, global int *b, global int *c) {
  const size_t i = get_global_id(0);
  a[i] = as_ushort(convert_half(x[i])) >> 5;
  b[i] = as_ushort(convert_half(min(x[i], (ushort)1))) >> 5;
  c[i] = as_ushort(convert_half((uchar)x[i])) >> 5;
}
