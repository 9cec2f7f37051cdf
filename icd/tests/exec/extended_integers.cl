// cl_khr_extended_bit_ops and cl_khr_integer_dot_product.

// kernel: insert
// global: 8
// arg: out uint 8 => [0xabcdef12, 0xabcdef99, 0xab99ef12, 0x99cdef12, 0x12345699, 0xabcdef13, 0x99, 0xabcdef12]
// arg: in uint 8 = [0, 0, 16, 24, 0, 0, 0, 31]
// arg: in uint 8 = [0, 8, 8, 8, 32, 1, 32, 0]
// arg: out uchar 8 => [0xf0, 0xf9, 0x90, 0xf0, 0x99, 0xf1, 0xf0, 0xf0]
kernel void insert(global uint *out, global const uint *offset, global const uint *count, global uchar *bytes) {
  int i = get_global_id(0);
  uint from = i == 4 ? 0x12345699u : 0x99u;
  if (i == 5) from = 0xffffffffu;
  out[i] = bitfield_insert(0xabcdef12u, from, offset[i], count[i]);
  uint o = i == 2 ? 4 : 0, n = i == 1 ? 4 : i == 2 ? 4 : i == 4 ? 8 : i == 5 ? 1 : 0;
  bytes[i] = bitfield_insert((uchar)0xf0, (uchar)0x99, o, n);
}

// kernel: extract
// global: 6
// arg: out int 6 => [0, -1, -2, -8, 1985229343, 0]
// arg: out uint 6 => [0, 15, 6, 56, 1985229343, 0]
// arg: in uint 6 = [5, 0, 24, 2, 0, 16]
// arg: in uint 6 = [0, 4, 3, 6, 32, 2]
// arg: out long 6 => [0, -1, 1, 0, 1, 0]
// arg: out uchar 6 => [0, 1, 0, 0, 1, 0]
kernel void extract(global int *s, global uint *u, global const uint *offset, global const uint *count, global long *l,
                    global uchar *c) {
  int i = get_global_id(0);
  uint value = i == 3 ? 0xe0u : 0x7654321fu;
  s[i] = bitfield_extract_signed(value, offset[i], count[i]);
  u[i] = bitfield_extract_unsigned((int)value, offset[i], count[i]);
  l[i] = bitfield_extract_signed(0x8000000100000013ul, i == 1 ? 63 : i == 4 ? 32 : 0, i == 1 ? 1 : i == 4 ? 4 : i == 2 ? 1 : 0)
       + (i == 2 ? 2 : 0);
  c[i] = bitfield_extract_unsigned((char)0x92, i, 1);
}

// kernel: reversed
// global: 4
// arg: out ulong 4 => [0x8000000000000000, 0x4000000000000000, 0xc000000000000000, 0x2000000000000000]
// arg: out uchar 16 => [0x80, 0x40, 0xc0, 0x20, 0x80, 0x40, 0xc0, 0x20, 0x80, 0x40, 0xc0, 0x20, 0x80, 0x40, 0xc0, 0x20]
kernel void reversed(global ulong *out, global uchar *bytes) {
  int i = get_global_id(0);
  out[i] = bit_reverse((ulong)(i + 1));
  vstore4(bit_reverse((uchar4)(1, 2, 3, 4)), i, bytes);
}

// kernel: dots
// global: 1
// arg: out int 12 => [36, 260100, -2, 65026, 2147483647, -1, 70, -32640, -30, 260101, 2147483647, -32639]
kernel void dots(global int *out) {
  char4 s = (char4)(1, -2, 3, -4), t = (char4)(-5, 6, 7, -8);
  uchar4 m = (uchar4)(255);
  out[0] = dot(s, t);
  out[1] = (int)dot(m, m);
  out[2] = dot(s, (uchar4)(1));
  out[3] = dot_acc_sat((uchar4)(255, 0, 0, 0), (uchar4)(255, 1, 1, 1), 1u);
  out[4] = dot_acc_sat((char4)(127), (char4)(127), 0x7ffffff0);
  out[5] = (int)dot_acc_sat((uchar4)(255), (uchar4)(255), 0xfffffff0u);
  out[6] = dot_4x8packed_ss_int(as_uint((char4)(1, 2, 3, 4)), as_uint((char4)(5, 6, 7, 8)));
  out[7] = dot_4x8packed_us_int(as_uint((uchar4)(255, 0, 0, 0)), as_uint((char4)(-128, 9, 9, 9)));
  out[8] = dot_4x8packed_su_int(as_uint((char4)(-1, -2, -3, -4)), as_uint((uchar4)(1, 2, 3, 4)));
  out[9] = (int)dot_4x8packed_uu_uint(as_uint(m), as_uint(m)) + 1;
  out[10] = dot_acc_sat_4x8packed_ss_int(as_uint((char4)(1)), as_uint((char4)(1)), 0x7fffffff);
  out[11] = dot_acc_sat_4x8packed_us_int(as_uint((uchar4)(255, 0, 0, 0)), as_uint((char4)(-128, 9, 9, 9)), 1);
}
