// needs: cl_khr_fp16
// Conversions to half and back, which round.

// kernel: float_by_half
// global: 6
// arg: out uint 6 => [0x3eaaa000, 0x3f800000, 0x3f802000, 0x7f800000, 0x477fe000, 0xbeaaa000]
// arg: in uint 6 = [0x3eaaaaab, 0x3f801000, 0x3f801001, 0x47800000, 0x477fefff, 0xbeaaaaab]
kernel void float_by_half(global uint *out, global const uint *in) {
  int i = get_global_id(0);
  out[i] = as_uint((float)(half)as_float(in[i]));
}

// kernel: floats_by_halves
// global: 3
// arg: out uint 6 => [0x3eaaa000, 0x3f800000, 0x3f802000, 0x7f800000, 0x477fe000, 0xbeaaa000]
// arg: in uint 6 = [0x3eaaaaab, 0x3f801000, 0x3f801001, 0x47800000, 0x477fefff, 0xbeaaaaab]
kernel void floats_by_halves(global uint2 *out, global const uint2 *in) {
  int i = get_global_id(0);
  half2 x = convert_half2(as_float2(in[i]));
  out[i] = as_uint2(convert_float2(x.yx).yx);
}

#ifdef cl_khr_fp64
// kernel: double_by_half
// global: 4
// arg: out ulong 4 => [0x3fd5540000000000, 0x3ff0000000000000, 0x3ff0040000000000, 0x7ff0000000000000]
// arg: in ulong 4 = [0x3fd5555555555555, 0x3ff0020000000000, 0x3ff0020000000001, 0x47f0000000000000]
kernel void double_by_half(global ulong *out, global const ulong *in) {
  int i = get_global_id(0);
  out[i] = as_ulong((double)(half)as_double(in[i]));
}

// The float is halfway between two halves, which the double is not.
//
// kernel: half_by_float
// global: 2
// arg: out ushort 2 => [0x3c00, 0x3c02]
// arg: out ushort 2 => [0x3c01, 0x3c01]
// arg: in ulong 2 = [0x3ff0020000000001, 0x3ff005ffffffffff]
kernel void half_by_float(global ushort *by_float, global ushort *at_once, global const ulong *in) {
  int i = get_global_id(0);
  by_float[i] = as_ushort((half)(float)as_double(in[i]));
  at_once[i] = as_ushort((half)as_double(in[i]));
}

// kernel: large_double
// global: 8
// arg: out ushort 8 => [0x7c00, 0xfc00, 0x7bff, 0x7c00, 0x7c00, 0x7e00, 1, 0x8000]
// arg: in ulong 8 = [0x7fefffffffffffff, 0xc7f123456789abcd, 0x40effdffffffffff, 0x40effe0000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x3e60000000000001, 0xbe60000000000000]
kernel void large_double(global ushort *out, global const ulong *in) {
  int i = get_global_id(0);
  out[i] = as_ushort((half)as_double(in[i]));
}
#endif
