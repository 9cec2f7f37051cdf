// Powers with whole constants as exponents are products, which have the special cases of the power.
// kernel: whole_powers
// global: 1000
// arg: in float 1000 = i < 2 ? (i - 0.5) * inf : i < 4 ? (i - 2.5) * 0 : i == 4 ? nan : (unit(i) - 0.5) * exp2((i % 30) - 15)
// arg: out float 1000 => pow(a0[i], 2)
// arg: out float 1000 => pow(a0[i], 3)
// arg: out float 1000 => pow(a0[i], 7)
// flushed: i % 30 < 8 ? 0 : pow(a0[i], 7)
// arg: out float 1000 => a0[i]
// arg: out float 4000 => pow(a0[i / 4], 4)
// ulp: 5
kernel void whole_powers(global const float *x, global float *p, global float *q, global float *r, global float *s,
                         global float4 *v) {
  int i = get_global_id(0);
  p[i] = pow(x[i], 2);
  q[i] = pow(x[i], 3.0f);
  r[i] = pown(x[i], 7);
  s[i] = pow(x[i], 1.0f);
  v[i] = pow((float4)(x[i]), 4.0f);
}
