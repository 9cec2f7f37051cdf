// kernel: unary
// global: 1000
// arg: in float 1000 = (unit(i) - 0.5) * 20
// arg: out float 1000 => sin(a0[i])
// arg: out float 1000 => cos(a0[i])
// arg: out float 1000 => exp(a0[i])
// arg: out float 1000 => log(abs(a0[i]))
// arg: out float 1000 => sqrt(abs(a0[i]))
// arg: out float 1000 => floor(a0[i])
// arg: out float 1000 => abs(a0[i])
// ulp: 4
kernel void unary(global const float *x, global float *s, global float *c, global float *e, global float *l,
                  global float *q, global float *f, global float *a) {
  int i = get_global_id(0);
  s[i] = sin(x[i]);
  c[i] = cos(x[i]);
  e[i] = exp(x[i]);
  l[i] = log(fabs(x[i]));
  q[i] = sqrt(fabs(x[i]));
  f[i] = floor(x[i]);
  a[i] = fabs(x[i]);
}
// kernel: binary
// global: 1000
// arg: in float 1000 = unit(i) * 10
// arg: in float 1000 = (unit(i + 5000) - 0.5) * 10
// arg: out float 1000 => pow(a0[i], a1[i])
// arg: out float 1000 => a0[i] / a1[i]
// arg: out float 1000 => max(a0[i], a1[i])
// arg: out float 1000 => fma(a0[i], a1[i], a0[i])
// ulp: 16
kernel void binary(global const float *x, global const float *y, global float *p, global float *d, global float *m,
                   global float *f) {
  int i = get_global_id(0);
  p[i] = pow(x[i], y[i]);
  d[i] = x[i] / y[i];
  m[i] = fmax(x[i], y[i]);
  f[i] = fma(x[i], y[i], x[i]);
}
// kernel: vector_math
// global: 64
// arg: in float 256 = i * 0.1
// arg: out float 256 => min(max(a0[i], 2.0), 20.0)
// arg: out float 64 => sqrt(a0[4 * i] * a0[4 * i] + a0[4 * i + 1] * a0[4 * i + 1] + a0[4 * i + 2] * a0[4 * i + 2] + a0[4 * i + 3] * a0[4 * i + 3])
// ulp: 4
kernel void vector_math(global const float4 *x, global float4 *c, global float *l) {
  int i = get_global_id(0);
  c[i] = clamp(x[i], 2.0f, 20.0f);
  l[i] = length(x[i]);
}
// kernel: integers
// global: 256
// arg: in uint 256 = rnd(i)
// arg: out uint 256 => popcount(a0[i])
// arg: out uint 256 => (a0[i] * 0x12345) >> 32
// arg: out uint 256 => u32((a0[i] << 7) | (a0[i] >> 25))
// arg: out uint 256 => min(a0[i] + 0xF0000000, 0xFFFFFFFF)
kernel void integers(global const uint *x, global uint *p, global uint *h, global uint *r, global uint *s) {
  int i = get_global_id(0);
  p[i] = popcount(x[i]);
  h[i] = mul_hi(x[i], 0x12345u);
  r[i] = rotate(x[i], 7u);
  s[i] = add_sat(x[i], 0xF0000000u);
}
// kernel: normalize_large
// global: 60
// arg: in float 120 = (i & 1) * 1000 + (1 - (i & 1)) * (i + 1) * 1e-36
// arg: out float 120 => a0[i] / sqrt(a0[i | 1] * a0[i | 1] + a0[i & 126] * a0[i & 126])
// flushed: i < 12 && (i & 1) == 0 ? 0 : a0[i] / sqrt(a0[i | 1] * a0[i | 1] + a0[i & 126] * a0[i & 126])
// ulp: 4
kernel void normalize_large(global const float2 *x, global float2 *y) {
  y[get_global_id(0)] = normalize(x[get_global_id(0)]);
}
// Subnormal numbers count, also on devices whose comparisons take them for 0.
// kernel: subnormal_magnitudes
// global: 1
// arg: in uint 4 = i == 0 ? 0x00292531 : i == 1 ? 0x802d6c0a : i == 2 ? 0x80000002 : 0x8028bf00
// arg: out uint 4 => i == 0 ? 0x802d6c0a : i == 1 ? 0x00292531 : i == 2 ? 0x3f7fffff : 1
// flushed: i == 0 ? 0x80000000 : i == 1 ? 0x80000000 : i == 2 ? 0x80000000 : 0
// flushed: 0
kernel void subnormal_magnitudes(global const float *a, global uint *r) {
  float whole;
  r[0] = as_uint(maxmag(a[0], a[1]));
  r[1] = as_uint(minmag(a[0], a[1]));
  r[2] = as_uint(fract(a[2], &whole));
  r[3] = as_uint(sinpi(a[3])) >> 31;
}
// So many calls that the function stays one; it has loops, which a driver's quirk may unroll.
// kernel: gamma_of_sixteen
// global: 1
// ulp: 16
// arg: in float 16 = i + 1
// arg: out float 1 => 120
kernel void gamma_of_sixteen(global const float *a, global float *r) {
  float16 x = vload16(0, a);
  float16 g = tgamma(x) + tgamma(x + 0.5f) * 0 + tgamma(x + 0.25f) * 0;
  r[0] = g.s5;
}
// The same, but nobody wants what they return.
// kernel: gamma_for_nobody
// global: 1
// arg: in float 16 = i + 1
// arg: out float 1 => 7
kernel void gamma_for_nobody(global const float *a, global float *r) {
  float16 x = vload16(0, a);
  float16 g = tgamma(x) + tgamma(x + 0.5f) * 0 + tgamma(x + 0.25f) * 0;
  r[0] = 7;
}
