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
