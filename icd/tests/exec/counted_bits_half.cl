// needs: cl_khr_fp16
// popcount of the bits of halves that are lanes of vectors (see counted_bits.cl).

// kernel: bits_of_halves
// global: 64
// arg: in ushort 256 = 0x3c00 + i * 3
// arg: out ulong 256 => popcount(0x3c00 + i * 3)
// arg: value half = 1
kernel void bits_of_halves(global const ushort *in, global ulong *out, half one) {
  size_t i = get_global_id(0);
  const ushort4 r = popcount(as_ushort4(as_half4(vload4(i, in)) * one));
  out[4 * i] = r.s0;
  out[4 * i + 1] = r.s1;
  out[4 * i + 2] = r.s2;
  out[4 * i + 3] = r.s3;
}
