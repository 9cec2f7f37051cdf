// Conversions to integers of constants that are out of range. The integer may be any, but NVIDIA's driver removed all code behind a branch
// on it, with all later stores (compiler ADR 7, constant_conversions).

// The conversion of a long to float has branches.
//
// kernel: constants
// global: 4
// arg: out uint 20 => [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9, 10]
// arg: value uint = 0
kernel void constants(global uint *out, uint zero) {
  size_t i = get_global_id(0);
  out[i] = as_uint(convert_float_rtn(convert_ulong_rte(NAN))) & zero;
  out[4 + i] = as_uint(convert_float3_rtn(convert_ulong3((float3)(NAN, 13.5f, -1e30f))).s0) & zero;
  out[8 + i] = (convert_int(1e20f) > 5 ? i + 3 : i) & zero;
  out[12 + i] = ((ulong)-5.0f > 3 ? i + 5 : 1) & zero;
  out[16 + i] = i + 7;
}

// The driver finds the constants when it unrolls the loop.
//
// kernel: in_loops
// global: 4
// arg: out uint 8 => [0, 0, 0, 0, 7, 8, 9, 10]
// arg: value uint = 0
kernel void in_loops(global uint *out, uint zero) {
  size_t i = get_global_id(0);
  uint n = 0;
  for (int k = 0; k < 4; k++) {
    const float x = k == 2 ? NAN : (float)k;
    if ((uint)x > 1u)
      n += i;
  }
  out[i] = n & zero;
  out[4 + i] = i + 7;
}

// A count of bits looks at the two words of a long. The number is in range.
//
// kernel: words_of_conversions
// global: 4
// arg: out ulong 16 => [1, 1, 24, 24, 32, 31, 33, 1, 1, 1, 24, 24, 31, 0, 30, 0]
// arg: in float 4 = [2147483648, 4294967296, 2147483520, 9223371487098961920]
kernel void words_of_conversions(global ulong *out, global const float *in) {
  size_t i = get_global_id(0);
  out[i] = popcount((ulong)in[i]);
  out[4 + i] = clz((ulong)in[i]);
  out[8 + i] = popcount((long)in[i]);
  out[12 + i] = (ulong)(31 - clz(as_uint2((ulong)in[i]).s0 | 1u));
}
