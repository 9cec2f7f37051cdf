// kernel: add
// global: 1000
// arg: in float 1000 = i * 0.5
// arg: in float 1000 = 3 * i + 0.25
// arg: out float 1000 => a0[i] + a1[i]
kernel void add(global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
// kernel: saxpy
// global: 256
// local: 64
// arg: value float = 2.5
// arg: in float 256 = i
// arg: inout float 256 = 100 - i => 2.5 * a1[i] + a2[i]
kernel void saxpy(float a, global const float *x, global float *y) {
  int i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
