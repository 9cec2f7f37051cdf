// needs: cl_khr_fp64
// Choices between 1 or -1 and a zero of the other sign.

// kernel: by_operator_double
// global: 3
// arg: out ulong 12 => [0x3ff0000000000000, 0x8000000000000000, 0xbff0000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0x0, 0xbff0000000000000, 0x8000000000000000, 0x3ff0000000000000, 0x0, 0xbff0000000000000]
// arg: value int = 1
kernel void by_operator_double(global ulong *out, int n) {
  int i = get_global_id(0);
  out[4 * i] = as_ulong(i < n ? (double)1 : -(double)0);
  out[4 * i + 1] = as_ulong(i < n ? -(double)0 : (double)1);
  out[4 * i + 2] = as_ulong(i < n ? (double)-1 : (double)0);
  out[4 * i + 3] = as_ulong(i < n ? (double)0 : (double)-1);
}

// Zeros of the same sign are right in any case.
//
// kernel: same_sign_double
// global: 3
// arg: out ulong 12 => [0x3ff0000000000000, 0x0, 0xbff0000000000000, 0x8000000000000000, 0x0, 0x3ff0000000000000, 0x8000000000000000, 0xbff0000000000000, 0x0, 0x3ff0000000000000, 0x8000000000000000, 0xbff0000000000000]
// arg: value int = 1
kernel void same_sign_double(global ulong *out, int n) {
  int i = get_global_id(0);
  out[4 * i] = as_ulong(i < n ? (double)1 : (double)0);
  out[4 * i + 1] = as_ulong(i < n ? (double)0 : (double)1);
  out[4 * i + 2] = as_ulong(i < n ? (double)-1 : -(double)0);
  out[4 * i + 3] = as_ulong(i < n ? -(double)0 : (double)-1);
}

// kernel: by_branch_double
// global: 3
// arg: out ulong 3 => [0xbff0000000000000, 0x0, 0x0]
// arg: in ulong 3 = [0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000]
// arg: value int = 1
kernel void by_branch_double(global ulong *out, global const ulong *in, int n) {
  int i = get_global_id(0);
  double r;
  if (i < n) {
    r = -1;
  } else {
    r = 0;
  }
  out[i] = as_ulong(copysign(r * as_double(in[i]), r));
}

// kernel: lanes_double
// global: 3
// arg: out ulong 6 => [0x3ff0000000000000, 0xbff0000000000000, 0x8000000000000000, 0x0, 0x8000000000000000, 0x0]
// arg: value int = 1
kernel void lanes_double(global ulong *out, int n) {
  int i = get_global_id(0);
  double2 r = i < n ? (double2)(1, -1) : (double2)(-(double)0, 0);
  vstore2(as_ulong2(r), i, out);
}

// kernel: integers_double
// global: 3
// arg: out ulong 3 => [0x3ff0000000000000, 0x8000000000000000, 0x8000000000000000]
// arg: value int = 1
kernel void integers_double(global ulong *out, int n) {
  int i = get_global_id(0);
  out[i] = i < n ? (ulong)0x3ff0000000000000 : (ulong)0x8000000000000000;
}
