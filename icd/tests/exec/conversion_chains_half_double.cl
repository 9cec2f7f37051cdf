// needs: cl_khr_fp16
// needs: cl_khr_fp64
// Conversions between double and half that round.

// kernel: double_by_half
// global: 4
// arg: out ulong 4 => [0x3fd5540000000000, 0x3ff0000000000000, 0x3ff0040000000000, 0x7ff0000000000000]
// arg: in ulong 4 = [0x3fd5555555555555, 0x3ff0020000000000, 0x3ff0020000000001, 0x47f0000000000000]
kernel void double_by_half(global ulong *out, global const ulong *in) {
  int i = get_global_id(0);
  out[i] = as_ulong((double)(half)as_double(in[i]));
}

// The double, rounded to float, is halfway between two halves. The double itself is not.
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
