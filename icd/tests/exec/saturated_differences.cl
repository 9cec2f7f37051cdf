// Saturated differences and sums of 64-bit integers and constants. NVIDIA's driver (580) recognized some forms of the
// difference and made the upper half wrong.

// kernel: differences
// global: 8
// arg: in ulong 8 = [0, 1, 2, 3, 4294967295, 4294967296, 4294967298, 18446744073709551615]
// arg: out ulong 40 => i < 8 ? (a0[i] < 1 ? 0 : a0[i] - 1) : i < 16 ? (a0[i - 8] < 4294967296 ? 0 : a0[i - 8] - 4294967296) : i < 24 ? ((a0[i - 16] & 4294967295) < 3 ? 0 : (a0[i - 16] & 4294967295) - 3) : i < 32 ? (a0[i - 24] < 1 ? 0 : (a0[i - 24] - 1) / 9) : (a0[i - 32] < a0[(i + 3) % 8] ? 0 : a0[i - 32] - a0[(i + 3) % 8])
kernel void differences(global const ulong *in, global ulong *out) {
  size_t i = get_global_id(0);
  ulong x = in[i];
  out[i] = sub_sat(x, 1ul);
  out[8 + i] = sub_sat(x, 0x100000000ul);
  out[16 + i] = sub_sat(x & 0xfffffffful, 3ul);
  out[24 + i] = sub_sat(x, 1ul) / 9;
  out[32 + i] = sub_sat(x, in[(i + 3) % 8]);
}

// kernel: sums
// global: 8
// arg: in ulong 8 = [0, 1, 2, 3, 4294967295, 18446744069414584320, 18446744073709551614, 18446744073709551615]
// arg: out ulong 16 => i < 8 ? (a0[i] > 18446744073709551614 ? a0[i] : a0[i] + 1) : (a0[i - 8] > 18446744069414584319 ? 18446744073709551615 : a0[i - 8] + 4294967296)
kernel void sums(global const ulong *in, global ulong *out) {
  size_t i = get_global_id(0);
  out[i] = add_sat(in[i], 1ul);
  out[8 + i] = add_sat(in[i], 0x100000000ul);
}
