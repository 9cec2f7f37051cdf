// Counts of shifts are taken modulo the width (6.3.j), also by what the compiler knows of bits and ranges: a count of 32 is
// none, and what was shifted by it may be negative.
// kernel: left
// global: 6
// arg: in uint 6 = [0xffffffff, 0x1fffffff, 0x5, 0x80000001, 0x7fffffff, 0x0]
// arg: out ulong 6 => [0x1, 0x1, 0x31, 0x11, 0x1, 0x9]
kernel void left(global const uint *in, global ulong *out) {
  size_t i = get_global_id(0);
  out[i] = (ulong)((in[i] << 35) + 9u);
}
// kernel: left_again
// global: 6
// arg: in uint 6 = [0xffffffff, 0x1fffffff, 0x5, 0x80000001, 0x7fffffff, 0x0]
// arg: out ulong 6 => [0x104, 0x40000104, 0x710, 0x308, 0x104, 0x206]
kernel void left_again(global const uint *in, global ulong *out) {
  size_t i = get_global_id(0);
  uint x = in[i];
  out[i] = (ulong)((x << 33) + 7u) + (ulong)((x << 40) + 511u);
}
// kernel: divided
// global: 6
// arg: in uint 6 = [0xffffffff, 0x1fffffff, 0x5, 0x80000001, 0x7fffffff, 0x0]
// arg: out long 6 => [0x0, 0xaaaaaaa, 0x1, 0xffffffffd5555556, 0x2aaaaaaa, 0x0]
kernel void divided(global const uint *in, global long *out) {
  size_t i = get_global_id(0);
  out[i] = (int)(in[i] >> 32u) / 3;
}
// kernel: remainder
// global: 6
// arg: in uint 6 = [0xffffffff, 0x1fffffff, 0x5, 0x80000001, 0x7fffffff, 0x0]
// arg: out long 6 => [0x1, 0x1, 0x3, 0x4, 0x2, 0x0]
kernel void remainder(global const uint *in, global long *out) {
  size_t i = get_global_id(0);
  out[i] = (int)((in[i] >> 33) % 7u) + (int)((in[i] >> 32) / 3u) % 5;
}
// kernel: extended
// global: 6
// arg: in uint 6 = [0xffffffff, 0x1fffffff, 0x5, 0x80000001, 0x7fffffff, 0x0]
// arg: out long 6 => [0xffffffffffffffff, 0x1fffffff, 0x5, 0xffffffff80000001, 0x7fffffff, 0x0]
kernel void extended(global const uint *in, global long *out) {
  size_t i = get_global_id(0);
  uint x = in[i];
  out[i] = (long)(int)(x >> 32u);
}
// kernel: extended_again
// global: 6
// arg: in uint 6 = [0xffffffff, 0x1fffffff, 0x5, 0x80000001, 0x7fffffff, 0x0]
// arg: out long 6 => [0x3e7, 0x3ffffff, 0x0, 0xfffffffff00003e8, 0xfffffff, 0x0]
kernel void extended_again(global const uint *in, global long *out) {
  size_t i = get_global_id(0);
  int x = in[i];
  out[i] = (long)(x >> 35) + (x >> 32 < 0 ? 1000 : 0);
}
// kernel: narrow
// global: 6
// arg: in uint 6 = [0xffffffff, 0x1fffffff, 0x5, 0x80000001, 0x7fffffff, 0x0]
// arg: out int 6 => [0xfffffffd, 0xfffffffd, 0x5, 0x1, 0xfffffffd, 0x0]
kernel void narrow(global const uint *in, global int *out) {
  size_t i = get_global_id(0);
  short s = (short)in[i];
  s &= in[i] >> 36;
  out[i] = s + (char)((int)in[i] << 33) / 2 + (short)(in[i] >> 36);
}
// kernel: wide
// global: 4
// arg: in ulong 4 = [0xffffffffffffffff, 0x1fffffffffffffff, 0x5, 0x8000000000000001]
// arg: out long 4 => [0xfffffffffffffffb, 0xaaaaaaaaaaaaaad, 0x15, 0xd55555555555555a]
kernel void wide(global const ulong *in, global long *out) {
  size_t i = get_global_id(0);
  ulong x = in[i];
  out[i] = (short)(x >> 68) + (long)(x >> 64) / 3 + (long)(x << 66) % 100;
}
