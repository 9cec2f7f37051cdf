// needs: cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// kernel: arithmetic
// global: 100
// arg: in half 100 = i * 0.25
// arg: out half 100 => a0[i] * 2 + 1
kernel void arithmetic(global const half *a, global half *r) {
  int i = get_global_id(0);
  r[i] = a[i] * 2.0h + 1.0h;
}
// kernel: storage
// global: 100
// arg: in half 100 = i * 0.5
// arg: out float 100 => a0[i] + 0.125
// arg: out half 100 => i * 3.5
kernel void storage(global const half *a, global float *f, global half *h) {
  int i = get_global_id(0);
  f[i] = vload_half(i, a) + 0.125f;
  vstore_half(i * 3.5f, i, h);
}
