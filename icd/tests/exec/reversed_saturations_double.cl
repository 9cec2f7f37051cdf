// needs: cl_khr_fp64
// The maximum of 0 and the minimum of 1 and a number is 1 for NaN.

// As it is, and as an operand.
//
// kernel: reversed_saturations
// global: 4
// arg: out ulong 8 => [0x3ff0000000000000, 0x3fd0000000000000, 0x0, 0x3ff0000000000000, 0x0, 0x3fe8000000000000, 0x3ff0000000000000, 0x0]
// arg: in ulong 4 = [0x7ff8000000000000, 0x3fd0000000000000, 0xc008000000000000, 0x401c000000000000]
kernel void reversed_saturations(global ulong *out, global const double *in) {
  int i = get_global_id(0);
  double x = in[i];
  out[i] = as_ulong(fmax(fmin(x / x * x, 1.0), 0.0));
  out[4 + i] = as_ulong(1.0 - fmax(0.0, fmin(1.0, x)));
}
