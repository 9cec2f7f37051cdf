// FP_CONTRACT ON lets one expression be contracted (6.12.2, C99 6.5), but not several statements: these round twice.
// x * x needs 48 bits; so twice rounded x * x - y is 0, and once rounded it is not.
// kernel: statements
// global: 8
// arg: in float 8 = 1 + (i + 1) * 0.000244140625
// arg: out float 8 => 0
kernel void statements(global const float *in, global float *out) {
  int i = get_global_id(0);
  float x = in[i], square = x * x;
  float rounded = square;
  volatile float kept = x * x;
  rounded -= kept;
  float product = x;
  product *= x;
  float other = product - kept;
  out[i] = rounded + other;
}
// kernel: off
// global: 8
// arg: in float 8 = 1 + (i + 1) * 0.000244140625
// arg: out float 8 => 0
kernel void off(global const float *in, global float *out) {
#pragma OPENCL FP_CONTRACT OFF
  int i = get_global_id(0);
  float x = in[i];
  volatile float kept = x * x;
  out[i] = x * x - kept;
}
// kernel: one_expression
// global: 8
// arg: in float 8 = 1 + (i + 1) * 0.000244140625
// arg: out int 8 => 1
kernel void one_expression(global const float *in, global int *out) {
  // Either rounding is right.
  int i = get_global_id(0);
  float x = in[i];
  volatile float kept = x * x;
  float once = fma(x, x, -kept), got = x * x - kept;
  out[i] = got == 0 || got == once;
}
// Nor are they if nothing but the product is left of one of the statements.
// kernel: folded
// global: 8
// arg: in float 8 = 1 + (i + 1) * 0.000244140625
// arg: value float = 1
// arg: out float 8 => 0
kernel void folded(global const float *in, float one, global float *out) {
  int i = get_global_id(0);
  float x = in[i];
  volatile float kept = x * x;
  float product = x * x - 0.0f;
  float difference = product - kept * one;
  float sum = 0.0f;
  for (int k = 0; k < 1; k++)
    sum = x * x - sum;
  sum = kept * one - sum;
  out[i] = difference + sum;
}
