// needs: cl_khr_fp64
// Bits of doubles without their sign, or with the other sign: NVIDIA's driver computed them as an absolute value or a negative, whose NaN has
// other bits (compiler ADR 7, masked_signs).

// kernel: masked
// global: 6
// arg: in double 6 = [0, 1, -2, 0.25, -0.0, 1048576]
// arg: value double = -0.5
// arg: out ulong 6 => [0x7ff, 0x3fe, 0x3fd, 0x400, 0x7ff, 0x3ea]
// arg: out ulong 6 => [0x7ff, 0x7ff, 0x7ff, 0x7ff, 0x7ff, 0x7ff]
// arg: out ulong 6 => [0x7ff, 0xbfe, 0x3fd, 0xc00, 0x7ff, 0xbea]
// arg: out ulong 6 => [0x7ff, 0x3fe, 0xbfd, 0x400, 0xfff, 0x3ea]
// arg: out uint 6 => [0x7fc00000, 0x3f000000, 0x3e800000, 0x40000000, 0x7f800000, 0x35000000]
kernel void masked(global const double *x, double half_number, global ulong *a, global ulong *b, global ulong *c, global ulong *d, global uint *e) {
  const size_t i = get_global_id(0);
  const double q = x[i] == 0 && !signbit(x[i]) ? x[i] / x[i] : half_number / x[i];
  const double y = isnotequal(-q, 0.0) ? (double)INFINITY : -q;
  const double z = isordered(y, y) ? q : y;
  a[i] = (as_ulong(z) & 0x7fffffffffffffffUL) >> 52;
  b[i] = (as_ulong(y) & 0x7fffffffffffffffUL) >> 52;
  c[i] = isnan(z) ? 0x7ff : as_ulong(z) >> 52;
  d[i] = isnan(z) ? 0x7ff : (as_ulong(z) ^ 0x8000000000000000UL) >> 52;
  const float f = convert_float(as_double(as_ulong(z) & 0x7fffffffffffffffUL));
  e[i] = isnan(f) ? 0x7fc00000 : as_uint(f);
}

// kernel: halves
// global: 6
// arg: in double 6 = [0, 1, -2, 0.25, -0.0, 1048576]
// arg: value double = -0.5
// arg: out ushort 6 => [0x7e00, 0x3800, 0x3400, 0x4000, 0x7c00, 0x8]
kernel void halves(global const double *x, double half_number, global ushort *a) {
  const size_t i = get_global_id(0);
  const double q = x[i] == 0 && !signbit(x[i]) ? x[i] / x[i] : half_number / x[i];
  const double y = isnotequal(-q, 0.0) ? (double)INFINITY : -q;
  const double z = isordered(y, 0.0) ? q : y;
  vstore_half_rte(copysign(z, 1.0), i, (global half *)a);
  a[i] = isnan(vload_half(i, (global half *)a)) ? 0x7e00 : a[i];
}
