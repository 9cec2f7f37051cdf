// Choices between 1 or -1 and a zero of the other sign.

// kernel: by_operator_float
// global: 3
// arg: out uint 12 => [0x3f800000, 0x80000000, 0xbf800000, 0x0, 0x80000000, 0x3f800000, 0x0, 0xbf800000, 0x80000000, 0x3f800000, 0x0, 0xbf800000]
// arg: value int = 1
kernel void by_operator_float(global uint *out, int n) {
  int i = get_global_id(0);
  out[4 * i] = as_uint(i < n ? (float)1 : -(float)0);
  out[4 * i + 1] = as_uint(i < n ? -(float)0 : (float)1);
  out[4 * i + 2] = as_uint(i < n ? (float)-1 : (float)0);
  out[4 * i + 3] = as_uint(i < n ? (float)0 : (float)-1);
}

// Zeros of the same sign are right in any case.
//
// kernel: same_sign_float
// global: 3
// arg: out uint 12 => [0x3f800000, 0x0, 0xbf800000, 0x80000000, 0x0, 0x3f800000, 0x80000000, 0xbf800000, 0x0, 0x3f800000, 0x80000000, 0xbf800000]
// arg: value int = 1
kernel void same_sign_float(global uint *out, int n) {
  int i = get_global_id(0);
  out[4 * i] = as_uint(i < n ? (float)1 : (float)0);
  out[4 * i + 1] = as_uint(i < n ? (float)0 : (float)1);
  out[4 * i + 2] = as_uint(i < n ? (float)-1 : -(float)0);
  out[4 * i + 3] = as_uint(i < n ? -(float)0 : (float)-1);
}

// kernel: by_branch_float
// global: 3
// arg: out uint 3 => [0xbf800000, 0x0, 0x0]
// arg: in uint 3 = [0x3f800000, 0x3f800000, 0x3f800000]
// arg: value int = 1
kernel void by_branch_float(global uint *out, global const uint *in, int n) {
  int i = get_global_id(0);
  float r;
  if (i < n) {
    r = -1;
  } else {
    r = 0;
  }
  out[i] = as_uint(copysign(r * as_float(in[i]), r));
}

// kernel: lanes_float
// global: 3
// arg: out uint 6 => [0x3f800000, 0xbf800000, 0x80000000, 0x0, 0x80000000, 0x0]
// arg: value int = 1
kernel void lanes_float(global uint *out, int n) {
  int i = get_global_id(0);
  float2 r = i < n ? (float2)(1, -1) : (float2)(-(float)0, 0);
  vstore2(as_uint2(r), i, out);
}

// kernel: integers_float
// global: 3
// arg: out uint 3 => [0x3f800000, 0x80000000, 0x80000000]
// arg: value int = 1
kernel void integers_float(global uint *out, int n) {
  int i = get_global_id(0);
  out[i] = i < n ? (uint)0x3f800000 : (uint)0x80000000;
}
