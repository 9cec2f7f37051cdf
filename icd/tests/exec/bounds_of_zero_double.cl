// Minima and maxima of doubles with -0.
// needs: cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Returns the upper half of the bits of a number, and one of the NaNs.
uint bits(double x) { return isnan(x) ? 0x7ff80000 : as_ulong(x) >> 32; }

// The numbers are 1, -1, NaN and the infinities.
//
// kernel: minimum_with_negative_zero
// global: 5
// arg: out uint 10 => [0x80000000, 0xbff00000, 0x80000000, 0x80000000, 0xfff00000, 0x3ff00000, 0x80000000, 0x80000000, 0x7ff00000, 0x80000000]
// arg: in ulong 5 = [0x3ff0000000000000, 0xbff0000000000000, 0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000]
kernel void minimum_with_negative_zero(global uint *out, global const double *in) {
  int i = get_global_id(0);
  double x = in[i];
  out[i] = bits(fmin(x, -0.0));
  out[5 + i] = bits(fmax(x, -0.0));
}
