// popcount of 16-bit integers that are lanes of vectors or reach it through a branch or a loop, and of 64-bit integers one of whose
// halves has at most 16 bits: NVIDIA's driver counted the neighbour in the same register, too (compiler ADR 7, narrow_integers).

// kernel: loaded_lanes
// global: 64
// arg: in ushort 128 = rnd(i) & 0xffff
// arg: out ulong 128 => popcount(a0[i])
kernel void loaded_lanes(global const ushort *in, global ulong *out) {
  size_t i = get_global_id(0);
  const ushort2 r = popcount(vload2(i, in));
  out[2 * i] = r.s0;
  out[2 * i + 1] = r.s1;
}

// kernel: chosen_lanes
// global: 64
// arg: in ushort 256 = rnd(i) & 0xffff
// arg: out uint 64 => popcount(a0[4 * i + i % 4])
kernel void chosen_lanes(global const ushort *in, global uint *out) {
  size_t i = get_global_id(0);
  const ushort4 v = vload4(i, in);
  ushort r;
  switch (i & 3) {
  case 0: r = v.s0; break;
  case 1: r = v.s1; break;
  case 2: r = v.s2; break;
  default: r = v.s3; break;
  }
  out[i] = popcount(r);
}

// kernel: lanes_of_a_loop
// global: 64
// arg: in ushort 128 = rnd(i) & 0xffff
// arg: out uint 64 => popcount(i % 2 ? a0[2 * i + 1] : a0[2 * i])
kernel void lanes_of_a_loop(global const ushort *in, global uint *out) {
  size_t i = get_global_id(0);
  ushort2 v = vload2(i, in);
  for (uint n = 0; n < (uint)i; n++)
    v = v.s10;
  out[i] = popcount(v).s0;
}

// kernel: halves_of_long
// global: 64
// arg: in ulong 64 = rnd(i) * 0x100000001
// arg: out ulong 64 => popcount(rnd(i) & 0xffff) + popcount(rnd(i) & 0xffffffff)
kernel void halves_of_long(global const ulong *in, global ulong *out) {
  size_t i = get_global_id(0);
  out[i] = popcount(in[i] & 0xffffffff0000ffffUL);
}
