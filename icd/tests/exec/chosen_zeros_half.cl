// needs: cl_khr_fp16
// Choices between 1 or -1 and a zero of the other sign.

// kernel: by_operator_half
// global: 3
// arg: out ushort 12 => [0x3c00, 0x8000, 0xbc00, 0x0, 0x8000, 0x3c00, 0x0, 0xbc00, 0x8000, 0x3c00, 0x0, 0xbc00]
// arg: value int = 1
kernel void by_operator_half(global ushort *out, int n) {
  int i = get_global_id(0);
  out[4 * i] = as_ushort(i < n ? (half)1 : -(half)0);
  out[4 * i + 1] = as_ushort(i < n ? -(half)0 : (half)1);
  out[4 * i + 2] = as_ushort(i < n ? (half)-1 : (half)0);
  out[4 * i + 3] = as_ushort(i < n ? (half)0 : (half)-1);
}

// Zeros of the same sign are right in any case.
//
// kernel: same_sign_half
// global: 3
// arg: out ushort 12 => [0x3c00, 0x0, 0xbc00, 0x8000, 0x0, 0x3c00, 0x8000, 0xbc00, 0x0, 0x3c00, 0x8000, 0xbc00]
// arg: value int = 1
kernel void same_sign_half(global ushort *out, int n) {
  int i = get_global_id(0);
  out[4 * i] = as_ushort(i < n ? (half)1 : (half)0);
  out[4 * i + 1] = as_ushort(i < n ? (half)0 : (half)1);
  out[4 * i + 2] = as_ushort(i < n ? (half)-1 : -(half)0);
  out[4 * i + 3] = as_ushort(i < n ? -(half)0 : (half)-1);
}

// kernel: by_branch_half
// global: 3
// arg: out ushort 3 => [0xbc00, 0x0, 0x0]
// arg: in ushort 3 = [0x3c00, 0x3c00, 0x3c00]
// arg: value int = 1
kernel void by_branch_half(global ushort *out, global const ushort *in, int n) {
  int i = get_global_id(0);
  half r;
  if (i < n) {
    r = -1;
  } else {
    r = 0;
  }
  out[i] = as_ushort(copysign(r * as_half(in[i]), r));
}

// kernel: lanes_half
// global: 3
// arg: out ushort 6 => [0x3c00, 0xbc00, 0x8000, 0x0, 0x8000, 0x0]
// arg: value int = 1
kernel void lanes_half(global ushort *out, int n) {
  int i = get_global_id(0);
  half2 r = i < n ? (half2)(1, -1) : (half2)(-(half)0, 0);
  vstore2(as_ushort2(r), i, out);
}

// kernel: integers_half
// global: 3
// arg: out ushort 3 => [0x3c00, 0x8000, 0x8000]
// arg: value int = 1
kernel void integers_half(global ushort *out, int n) {
  int i = get_global_id(0);
  out[i] = i < n ? (ushort)0x3c00 : (ushort)0x8000;
}
