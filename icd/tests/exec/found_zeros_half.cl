// needs: cl_khr_fp16
// Products and quotients of halves with numbers of which a driver may find out that they are 0.

// Returns the bits of a number, and one of the NaNs.
uint bits(half x) { return isnan(x) ? 0x7fc00000 : as_uint((float)x); }

// The numbers are 1, an infinity, -0, NaN.
//
// kernel: halves
// global: 4
// arg: out uint 32 => [0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x40000000, 0x7fc00000, 0x40000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x40400000, 0xff800000, 0x40000000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
kernel void halves(global uint *out, global const float *in) {
  int i = get_global_id(0);
  half x = in[i];
  for (int k = 0; k < 2; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[12 * k + i] = bits(x / (half)k);
    out[12 * k + 4 + i] = bits(x * (half)k);
    out[12 * k + 8 + i] = bits(fma(x, (half)k, 2.0h));
  }
  half2 zero = fabs((half2)(x, -1.0h)) - 1.0h;
  out[24 + i] = bits((x / zero).y);
  out[28 + i] = bits((x * zero).y);
}
