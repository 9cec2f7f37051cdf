// Branches by the bits of 64-bit constants, one after the other. With a random program of this form, an H200 (driver 580.159.04) lost all stores
// after the third.

#define GAP(row, defined) if (!((defined) >> me & 1)) out[(row) * 64 + me] = 0;

// kernel: cleared_bits
// global: 64
// local: 16
// arg: inout ulong 832 = 5 => i / 64 == 2 ? 0 : i / 64 == 3 ? a2[i % 64] * 3 : i / 64 == 12 ? 9 : (i / 64 == 0 ? 0xfffffff7ff7f7ff7 : i / 64 == 1 ? 0xfffffffbffbfbffb : i / 64 == 4 ? 0xff7fffffffffffff : i / 64 == 5 ? 0xffbfffffffffffff : i / 64 == 6 ? 0xffdfffffffffffff : i / 64 == 7 ? 0xffefffffffffffff : i / 64 == 8 ? 0xfff7ffffffffffff : i / 64 == 9 ? 0xfffbffffffffffff : i / 64 == 10 ? 0xfffdffffffffffff : 0xfffeffffffffffff) >> (i % 64) & 1 ? 5 : 0
// arg: in uint 1 = 0
// arg: in ushort 64 = rnd(i) & 0xffff
kernel void cleared_bits(global ulong *out, global const uint *zero, global const ushort *ys) {
  uint me = get_global_id(0);
  GAP(0, 0xfffffff7ff7f7ff7ul)
  GAP(1, 0xfffffffbffbfbffbul)
  out[2 * 64 + me] = 0;
  out[3 * 64 + me] = ys[(me + zero[0]) & 63] * 3u;
  GAP(4, 0xff7ffffffffffffful)
  GAP(5, 0xffbffffffffffffful)
  GAP(6, 0xffdffffffffffffful)
  GAP(7, 0xffeffffffffffffful)
  GAP(8, 0xfff7fffffffffffful)
  GAP(9, 0xfffbfffffffffffful)
  GAP(10, 0xfffdfffffffffffful)
  GAP(11, 0xfffefffffffffffful)
  out[12 * 64 + me] = 9;
}
