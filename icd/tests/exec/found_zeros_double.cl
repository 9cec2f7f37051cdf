// needs: cl_khr_fp64
// Products and quotients of doubles with numbers of which a driver may find out that they are 0.

// Returns the bits of a number, and one of the NaNs.
uint bits(double x) { return isnan(x) ? 0x7fc00000 : as_uint((float)x); }

// The numbers are 1, an infinity, -0, NaN.
//
// kernel: doubles
// global: 4
// arg: out uint 32 => [0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x40000000, 0x7fc00000, 0x40000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x40400000, 0xff800000, 0x40000000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
kernel void doubles(global uint *out, global const float *in) {
  int i = get_global_id(0);
  double x = in[i];
  for (int k = 0; k < 2; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[12 * k + i] = bits(x / (double)k);
    out[12 * k + 4 + i] = bits(x * (double)k);
    out[12 * k + 8 + i] = bits(fma(x, (double)k, 2.0));
  }
  double2 zero = fabs((double2)(x, -1.0)) - 1.0;
  out[24 + i] = bits((x / zero).y);
  out[28 + i] = bits((x * zero).y);
}
