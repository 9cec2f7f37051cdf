// needs: cl_khr_fp64
// Products of 64-bit integers and a bit of one of two numbers, where a test of a double chooses the number, as in the program that showed the fault
// of `bit_products.cl`.

// kernel: chosen
// global: 64
// arg: in ulong 64 = rnd(i) << 32 | rnd(i + 64)
// arg: in ulong 64 = (rnd(i + 128) << 32 | rnd(i + 192)) >> 4
// arg: in ulong 64 = rnd(i + 256) & 1
// arg: out ulong 64 => ((a2[i] == 1 ? a0[i] : a1[i]) & 1) * a1[i]
// arg: out ulong 64 => ((a2[i] == 1 ? a1[i] : a0[i]) & 1) * 81985529216486895
// arg: out ulong 64 => ((a2[i] == 1 ? a1[i] : a0[i]) >> 1 & 1) * (a0[i] >> 4)
kernel void chosen(global const ulong *x, global const ulong *y, global const ulong *z, global ulong *a, global ulong *b, global ulong *c) {
  const size_t i = get_global_id(0);
  const double number = as_double(z[i] * 0x7ff8000000000000UL);
  a[i] = ((isnan(number) ? x[i] : y[i]) & 1) * y[i];
  b[i] = ((isnan(number) ? y[i] : x[i]) & 1) * 0x123456789abcdefUL;
  c[i] = ((isnan(number) ? y[i] : x[i]) >> 1 & 1) * (x[i] >> 4);
}
