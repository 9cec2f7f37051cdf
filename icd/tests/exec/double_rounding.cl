// needs: cl_khr_fp64
// kernel: rounding
// global: 12
// arg: in double 12 = [0.3, -0.3, 0.5, -0.5, 1.5, -2.5, 16777217.5, -16777218.5, 1125899906842623.5, 4503599627370495.5, -4503599627370497.0, 1e300]
// arg: out double 12 => [0, 0, 0, 0, 1, -2, 16777217, -16777218, 1125899906842623, 4503599627370495, -4503599627370497.0, 1e300]
// arg: out double 12 => [0, 0, 0, 0, 2, -2, 16777218, -16777218, 1125899906842624.0, 4503599627370496.0, -4503599627370497.0, 1e300]
// arg: out uint 12 => [0, 7, 0, 7, 0, 7, 0, 7, 0, 0, 7, 0]
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void rounding(global const double *in, global double *down, global double *near, global uint *signs) {
  int g = get_global_id(0);
  double x = in[g];
  down[g] = trunc(x);
  near[g] = rint(x);
  signs[g] = signbit(trunc(x)) + 2 * (signbit(rint(x)) != 0) + 4 * (signbit(trunc((double2)(x, -x))).x != 0);
}
// kernel: special
// global: 5
// arg: out uint 5 => 0
kernel void special(global uint *out) {
  volatile int g = get_global_id(0);
  ulong list[5] = {0ul, 0x8000000000000000ul, 0x7ff0000000000000ul, 0xfff0000000000000ul, 0x7ff8000000000000ul};
  double x = as_double(list[g]);
  out[g] = isnan(x) ? !isnan(trunc(x)) + 2 * !isnan(rint(x)) + 4 * !isnan(fabs(x))
                    : (as_ulong(trunc(x)) != list[g]) + 2 * (as_ulong(rint(x)) != list[g]) +
                          4 * (as_ulong(fabs(x)) != (list[g] & LONG_MAX));
}
