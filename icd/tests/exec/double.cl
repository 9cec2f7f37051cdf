// needs: cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// kernel: arithmetic
// global: 100
// arg: in double 100 = unit(i) * 1000
// arg: in double 100 = unit(i + 300) + 0.5
// arg: out double 100 => a0[i] + a1[i]
// arg: out double 100 => a0[i] * a1[i]
// arg: out double 100 => a0[i] / a1[i]
// arg: out double 100 => sqrt(a0[i])
// arg: out float 100 => a0[i]
// arg: out long 100 => int(a0[i])
kernel void arithmetic(global const double *a, global const double *b, global double *s, global double *p,
                       global double *q, global double *r, global float *f, global long *l) {
  int i = get_global_id(0);
  s[i] = a[i] + b[i];
  p[i] = a[i] * b[i];
  q[i] = a[i] / b[i];
  r[i] = sqrt(a[i]);
  f[i] = a[i];
  l[i] = a[i];
}
// kernel: subnormals
// global: 50
// arg: in double 50 = (i + 1) * 1e-310
// arg: out double 50 => a0[i] * 0.5
// flushed: 0
// arg: out double 50 => a0[i] + a0[i]
// flushed: 0
kernel void subnormals(global const double *a, global double *half_of, global double *twice) {
  int i = get_global_id(0);
  half_of[i] = a[i] * 0.5;
  twice[i] = a[i] + a[i];
}
// Beside a pole Gamma is subnormal where 1 / 180! alone would be 0.
// kernel: gamma_beside_pole
// global: 2
// ulp: 16
// arg: in ulong 2 = i == 0 ? 0xc066800000000200 : 0xc0667fffffffff00
// arg: out double 2 => (i == 0 ? 0 - 69235 : 138469) * 4.94065645841246544e-324
// flushed: 0
kernel void gamma_beside_pole(global const double *a, global double *r) {
  int i = get_global_id(0);
  r[i] = tgamma(a[i]);
}
