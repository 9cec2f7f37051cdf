// Dot products of bytes: the functions of cl_khr_integer_dot_product, and sums of products that a program writes out. Each word of
// the first argument meets each of the second one.

// kernel: functions
// global: 256
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x80ff7f01 : rnd(i)
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x0180ff7f : rnd(i + 17)
// arg: out int 256 => i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16) + i8(a0[i / 16] >> 24) * i8(a1[i % 16] >> 24)
// arg: out uint 256 => (a0[i / 16] >> 0 & 255) * (a1[i % 16] >> 0 & 255) + (a0[i / 16] >> 8 & 255) * (a1[i % 16] >> 8 & 255) + (a0[i / 16] >> 16 & 255) * (a1[i % 16] >> 16 & 255) + (a0[i / 16] >> 24 & 255) * (a1[i % 16] >> 24 & 255)
// arg: out int 256 => i8(a0[i / 16] >> 0) * (a1[i % 16] >> 0 & 255) + i8(a0[i / 16] >> 8) * (a1[i % 16] >> 8 & 255) + i8(a0[i / 16] >> 16) * (a1[i % 16] >> 16 & 255) + i8(a0[i / 16] >> 24) * (a1[i % 16] >> 24 & 255)
// arg: out int 256 => (a0[i / 16] >> 0 & 255) * i8(a1[i % 16] >> 0) + (a0[i / 16] >> 8 & 255) * i8(a1[i % 16] >> 8) + (a0[i / 16] >> 16 & 255) * i8(a1[i % 16] >> 16) + (a0[i / 16] >> 24 & 255) * i8(a1[i % 16] >> 24)
kernel void functions(global const uint *a, global const uint *b, global int *ss, global uint *uu, global int *su, global int *us) {
  int i = get_global_id(0);
  uint x = a[i / 16], y = b[i % 16];
  ss[i] = dot(as_char4(x), as_char4(y));
  uu[i] = dot(as_uchar4(x), as_uchar4(y));
  su[i] = dot(as_char4(x), as_uchar4(y));
  us[i] = dot(as_uchar4(x), as_char4(y));
}

// kernel: packed
// global: 256
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x80ff7f01 : rnd(i)
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x0180ff7f : rnd(i + 17)
// arg: out int 256 => i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16) + i8(a0[i / 16] >> 24) * i8(a1[i % 16] >> 24)
// arg: out uint 256 => (a0[i / 16] >> 0 & 255) * (a1[i % 16] >> 0 & 255) + (a0[i / 16] >> 8 & 255) * (a1[i % 16] >> 8 & 255) + (a0[i / 16] >> 16 & 255) * (a1[i % 16] >> 16 & 255) + (a0[i / 16] >> 24 & 255) * (a1[i % 16] >> 24 & 255)
// arg: out int 256 => i8(a0[i / 16] >> 0) * (a1[i % 16] >> 0 & 255) + i8(a0[i / 16] >> 8) * (a1[i % 16] >> 8 & 255) + i8(a0[i / 16] >> 16) * (a1[i % 16] >> 16 & 255) + i8(a0[i / 16] >> 24) * (a1[i % 16] >> 24 & 255)
// arg: out int 256 => (a0[i / 16] >> 0 & 255) * i8(a1[i % 16] >> 0) + (a0[i / 16] >> 8 & 255) * i8(a1[i % 16] >> 8) + (a0[i / 16] >> 16 & 255) * i8(a1[i % 16] >> 16) + (a0[i / 16] >> 24 & 255) * i8(a1[i % 16] >> 24)
kernel void packed(global const uint *a, global const uint *b, global int *ss, global uint *uu, global int *su, global int *us) {
  int i = get_global_id(0);
  uint x = a[i / 16], y = b[i % 16];
  ss[i] = dot_4x8packed_ss_int(x, y);
  uu[i] = dot_4x8packed_uu_uint(x, y);
  su[i] = dot_4x8packed_su_int(x, y);
  us[i] = dot_4x8packed_us_int(x, y);
}

// kernel: saturated
// global: 256
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x80ff7f01 : rnd(i)
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x0180ff7f : rnd(i + 17)
// arg: in uint 16 = i % 4 == 0 ? 0x7fffffff - i * 9000 : i % 4 == 1 ? 0x80000000 + i * 9000 : i % 4 == 2 ? 0xffffffff - i * 17000 : rnd(i)
// arg: out int 256 => min(max(i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16) + i8(a0[i / 16] >> 24) * i8(a1[i % 16] >> 24) + i32(a2[i % 16]), -2147483648), 2147483647)
// arg: out uint 256 => min((a0[i / 16] >> 0 & 255) * (a1[i % 16] >> 0 & 255) + (a0[i / 16] >> 8 & 255) * (a1[i % 16] >> 8 & 255) + (a0[i / 16] >> 16 & 255) * (a1[i % 16] >> 16 & 255) + (a0[i / 16] >> 24 & 255) * (a1[i % 16] >> 24 & 255) + a2[i % 16], 0xffffffff)
// arg: out int 256 => min(max(i8(a0[i / 16] >> 0) * (a1[i % 16] >> 0 & 255) + i8(a0[i / 16] >> 8) * (a1[i % 16] >> 8 & 255) + i8(a0[i / 16] >> 16) * (a1[i % 16] >> 16 & 255) + i8(a0[i / 16] >> 24) * (a1[i % 16] >> 24 & 255) + i32(a2[i % 16]), -2147483648), 2147483647)
// arg: out int 256 => min(max((a0[i / 16] >> 0 & 255) * i8(a1[i % 16] >> 0) + (a0[i / 16] >> 8 & 255) * i8(a1[i % 16] >> 8) + (a0[i / 16] >> 16 & 255) * i8(a1[i % 16] >> 16) + (a0[i / 16] >> 24 & 255) * i8(a1[i % 16] >> 24) + i32(a2[i % 16]), -2147483648), 2147483647)
kernel void saturated(global const uint *a, global const uint *b, global const uint *c, global int *ss, global uint *uu, global int *su, global int *us) {
  int i = get_global_id(0);
  uint x = a[i / 16], y = b[i % 16], z = c[i % 16];
  ss[i] = dot_acc_sat(as_char4(x), as_char4(y), as_int(z));
  uu[i] = dot_acc_sat(as_uchar4(x), as_uchar4(y), z);
  su[i] = dot_acc_sat(as_char4(x), as_uchar4(y), as_int(z));
  us[i] = dot_acc_sat(as_uchar4(x), as_char4(y), as_int(z));
}

// kernel: packed_saturated
// global: 256
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x80ff7f01 : rnd(i)
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x0180ff7f : rnd(i + 17)
// arg: in uint 16 = i % 4 == 0 ? 0x7fffffff - i * 9000 : i % 4 == 1 ? 0x80000000 + i * 9000 : i % 4 == 2 ? 0xffffffff - i * 17000 : rnd(i)
// arg: out int 256 => min(max(i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16) + i8(a0[i / 16] >> 24) * i8(a1[i % 16] >> 24) + i32(a2[i % 16]), -2147483648), 2147483647)
// arg: out uint 256 => min((a0[i / 16] >> 0 & 255) * (a1[i % 16] >> 0 & 255) + (a0[i / 16] >> 8 & 255) * (a1[i % 16] >> 8 & 255) + (a0[i / 16] >> 16 & 255) * (a1[i % 16] >> 16 & 255) + (a0[i / 16] >> 24 & 255) * (a1[i % 16] >> 24 & 255) + a2[i % 16], 0xffffffff)
// arg: out int 256 => min(max(i8(a0[i / 16] >> 0) * (a1[i % 16] >> 0 & 255) + i8(a0[i / 16] >> 8) * (a1[i % 16] >> 8 & 255) + i8(a0[i / 16] >> 16) * (a1[i % 16] >> 16 & 255) + i8(a0[i / 16] >> 24) * (a1[i % 16] >> 24 & 255) + i32(a2[i % 16]), -2147483648), 2147483647)
// arg: out int 256 => min(max((a0[i / 16] >> 0 & 255) * i8(a1[i % 16] >> 0) + (a0[i / 16] >> 8 & 255) * i8(a1[i % 16] >> 8) + (a0[i / 16] >> 16 & 255) * i8(a1[i % 16] >> 16) + (a0[i / 16] >> 24 & 255) * i8(a1[i % 16] >> 24) + i32(a2[i % 16]), -2147483648), 2147483647)
kernel void packed_saturated(global const uint *a, global const uint *b, global const uint *c, global int *ss, global uint *uu, global int *su, global int *us) {
  int i = get_global_id(0);
  uint x = a[i / 16], y = b[i % 16], z = c[i % 16];
  ss[i] = dot_acc_sat_4x8packed_ss_int(x, y, as_int(z));
  uu[i] = dot_acc_sat_4x8packed_uu_uint(x, y, z);
  su[i] = dot_acc_sat_4x8packed_su_int(x, y, as_int(z));
  us[i] = dot_acc_sat_4x8packed_us_int(x, y, as_int(z));
}

// The same products, written out: with the accumulator before, after and between them, in several orders.
// kernel: written
// global: 256
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x80ff7f01 : rnd(i)
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x0180ff7f : rnd(i + 17)
// arg: in uint 16 = i % 4 == 0 ? 0x7fffffff - i * 9000 : i % 4 == 1 ? 0x80000000 + i * 9000 : i % 4 == 2 ? 0xffffffff - i * 17000 : rnd(i)
// arg: out int 256 => i32(i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16) + i8(a0[i / 16] >> 24) * i8(a1[i % 16] >> 24) + a2[i % 16])
// arg: out uint 256 => u32((a0[i / 16] >> 0 & 255) * (a1[i % 16] >> 0 & 255) + (a0[i / 16] >> 8 & 255) * (a1[i % 16] >> 8 & 255) + (a0[i / 16] >> 16 & 255) * (a1[i % 16] >> 16 & 255) + (a0[i / 16] >> 24 & 255) * (a1[i % 16] >> 24 & 255) + a2[i % 16])
// arg: out int 256 => i32(i8(a0[i / 16] >> 0) * (a1[i % 16] >> 0 & 255) + i8(a0[i / 16] >> 8) * (a1[i % 16] >> 8 & 255) + i8(a0[i / 16] >> 16) * (a1[i % 16] >> 16 & 255) + i8(a0[i / 16] >> 24) * (a1[i % 16] >> 24 & 255) + a2[i % 16])
// arg: out int 256 => i32((a0[i / 16] >> 0 & 255) * i8(a1[i % 16] >> 0) + (a0[i / 16] >> 8 & 255) * i8(a1[i % 16] >> 8) + (a0[i / 16] >> 16 & 255) * i8(a1[i % 16] >> 16) + (a0[i / 16] >> 24 & 255) * i8(a1[i % 16] >> 24) + a2[i % 16])
kernel void written(global const char4 *a, global const char4 *b, global const uint *c, global int *ss, global uint *uu, global int *su, global int *us) {
  int i = get_global_id(0);
  char4 x = a[i / 16], y = b[i % 16];
  uchar4 u = as_uchar4(x), v = as_uchar4(y);
  uint z = c[i % 16];
  ss[i] = z + x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  uu[i] = u.w * v.w + (v.y * u.y + u.x * v.x) + z + v.z * u.z;
  su[i] = (x.x * v.x + x.y * v.y) + (v.z * x.z + v.w * x.w) + z;
  int4 p = convert_int4(u) * convert_int4(y);
  us[i] = p.x + p.y + p.z + p.w + z;
}

// The bytes are taken out of words by shifts and masks.
// kernel: shifted
// global: 256
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x80ff7f01 : rnd(i)
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x0180ff7f : rnd(i + 17)
// arg: in uint 16 = i % 4 == 0 ? 0x7fffffff - i * 9000 : i % 4 == 1 ? 0x80000000 + i * 9000 : i % 4 == 2 ? 0xffffffff - i * 17000 : rnd(i)
// arg: out int 256 => i32(i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16) + i8(a0[i / 16] >> 24) * i8(a1[i % 16] >> 24) + a2[i % 16])
// arg: out uint 256 => u32((a0[i / 16] >> 0 & 255) * (a1[i % 16] >> 0 & 255) + (a0[i / 16] >> 8 & 255) * (a1[i % 16] >> 8 & 255) + (a0[i / 16] >> 16 & 255) * (a1[i % 16] >> 16 & 255) + (a0[i / 16] >> 24 & 255) * (a1[i % 16] >> 24 & 255) + a2[i % 16])
// arg: out int 256 => i32(i8(a0[i / 16] >> 0) * (a1[i % 16] >> 0 & 255) + i8(a0[i / 16] >> 8) * (a1[i % 16] >> 8 & 255) + i8(a0[i / 16] >> 16) * (a1[i % 16] >> 16 & 255) + i8(a0[i / 16] >> 24) * (a1[i % 16] >> 24 & 255) + a2[i % 16])
// arg: out int 256 => i32((a0[i / 16] >> 0 & 255) * i8(a1[i % 16] >> 0) + (a0[i / 16] >> 8 & 255) * i8(a1[i % 16] >> 8) + (a0[i / 16] >> 16 & 255) * i8(a1[i % 16] >> 16) + (a0[i / 16] >> 24 & 255) * i8(a1[i % 16] >> 24) + a2[i % 16])
kernel void shifted(global const uint *a, global const uint *b, global const uint *c, global int *ss, global uint *uu, global int *su, global int *us) {
  int i = get_global_id(0);
  uint u = a[i / 16], v = b[i % 16];
  int x = u, y = v;
  uint z = c[i % 16];
  ss[i] = z + (x >> 24) * (y >> 24) + (x << 8 >> 24) * (y << 8 >> 24) + (char)(x >> 8) * (y << 16 >> 24) + (char)x * (char)y;
  uu[i] = z + (u & 255) * (v & 255) + (u >> 8 & 255) * (v >> 8 & 255) + (u >> 16 & 255) * (v << 8 >> 24) + (u >> 24) * (v >> 24);
  su[i] = z + (char)x * (uchar)y + (char)(x >> 8) * (uchar)(y >> 8) + (char)(x >> 16) * (uchar)(y >> 16) + (x >> 24) * (int)(v >> 24);
  us[i] = z + (uchar)x * (char)y + (uchar)(x >> 8) * (char)(y >> 8) + (uchar)(x >> 16) * (char)(y >> 16) + (int)(u >> 24) * (y >> 24);
}

// No dot products: lanes that cross, a lane twice, a product of another word, a product of other signs.
// kernel: others
// global: 256
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x80ff7f01 : rnd(i)
// arg: in uint 16 = i % 8 == 0 ? 0x80808080 : i % 8 == 1 ? 0xffffffff : i % 8 == 2 ? 0x7f7f7f7f : i % 8 == 3 ? 0x0180ff7f : rnd(i + 17)
// arg: out int 256 => i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 24) + i8(a0[i / 16] >> 24) * i8(a1[i % 16] >> 16)
// arg: out int 256 => i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16)
// arg: out int 256 => i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a1[i % 16] >> 16) * i8(a1[i % 16] >> 16) + i8(a0[i / 16] >> 24) * i8(a1[i % 16] >> 24)
// arg: out int 256 => i8(a0[i / 16] >> 0) * i8(a1[i % 16] >> 0) + i8(a0[i / 16] >> 8) * i8(a1[i % 16] >> 8) + i8(a0[i / 16] >> 16) * i8(a1[i % 16] >> 16) + (a0[i / 16] >> 24 & 255) * i8(a1[i % 16] >> 24)
kernel void others(global const char4 *a, global const char4 *b, global int *crossed, global int *twice, global int *word,
                   global int *sign) {
  int i = get_global_id(0);
  char4 x = a[i / 16], y = b[i % 16];
  crossed[i] = x.x * y.x + x.y * y.y + x.z * y.w + x.w * y.z;
  twice[i] = x.x * y.x + x.y * y.y + x.z * y.z + x.z * y.z;
  word[i] = x.x * y.x + x.y * y.y + y.z * y.z + x.w * y.w;
  sign[i] = x.x * y.x + x.y * y.y + x.z * y.z + as_uchar(x.w) * y.w;
}

// Sixteen products, of two long vectors, and of bytes in a loop.
// kernel: long_sums
// global: 16
// arg: in uint 64 = i < 12 ? 0x80808080 : rnd(i)
// arg: in uint 4 = i == 0 ? 0x80808080 : rnd(i + 99)
// arg: out int 16 => i8(a0[i * 4 + 0] >> 0) * i8(a1[0] >> 0) + i8(a0[i * 4 + 0] >> 8) * i8(a1[0] >> 8) + i8(a0[i * 4 + 0] >> 16) * i8(a1[0] >> 16) + i8(a0[i * 4 + 0] >> 24) * i8(a1[0] >> 24) + i8(a0[i * 4 + 1] >> 0) * i8(a1[1] >> 0) + i8(a0[i * 4 + 1] >> 8) * i8(a1[1] >> 8) + i8(a0[i * 4 + 1] >> 16) * i8(a1[1] >> 16) + i8(a0[i * 4 + 1] >> 24) * i8(a1[1] >> 24) + i8(a0[i * 4 + 2] >> 0) * i8(a1[2] >> 0) + i8(a0[i * 4 + 2] >> 8) * i8(a1[2] >> 8) + i8(a0[i * 4 + 2] >> 16) * i8(a1[2] >> 16) + i8(a0[i * 4 + 2] >> 24) * i8(a1[2] >> 24) + i8(a0[i * 4 + 3] >> 0) * i8(a1[3] >> 0) + i8(a0[i * 4 + 3] >> 8) * i8(a1[3] >> 8) + i8(a0[i * 4 + 3] >> 16) * i8(a1[3] >> 16) + i8(a0[i * 4 + 3] >> 24) * i8(a1[3] >> 24)
// arg: out int 16 => i8(a0[i * 4 + 0] >> 0) * i8(a1[0] >> 0) + i8(a0[i * 4 + 0] >> 8) * i8(a1[0] >> 8) + i8(a0[i * 4 + 0] >> 16) * i8(a1[0] >> 16) + i8(a0[i * 4 + 0] >> 24) * i8(a1[0] >> 24) + i8(a0[i * 4 + 1] >> 0) * i8(a1[1] >> 0) + i8(a0[i * 4 + 1] >> 8) * i8(a1[1] >> 8) + i8(a0[i * 4 + 1] >> 16) * i8(a1[1] >> 16) + i8(a0[i * 4 + 1] >> 24) * i8(a1[1] >> 24) + i8(a0[i * 4 + 2] >> 0) * i8(a1[2] >> 0) + i8(a0[i * 4 + 2] >> 8) * i8(a1[2] >> 8) + i8(a0[i * 4 + 2] >> 16) * i8(a1[2] >> 16) + i8(a0[i * 4 + 2] >> 24) * i8(a1[2] >> 24) + i8(a0[i * 4 + 3] >> 0) * i8(a1[3] >> 0) + i8(a0[i * 4 + 3] >> 8) * i8(a1[3] >> 8) + i8(a0[i * 4 + 3] >> 16) * i8(a1[3] >> 16) + i8(a0[i * 4 + 3] >> 24) * i8(a1[3] >> 24)
// arg: out int 16 => i8(a0[i * 4 + 0] >> 0) * i8(a1[0] >> 0) + i8(a0[i * 4 + 0] >> 8) * i8(a1[0] >> 8) + i8(a0[i * 4 + 0] >> 16) * i8(a1[0] >> 16) + i8(a0[i * 4 + 0] >> 24) * i8(a1[0] >> 24) + i8(a0[i * 4 + 1] >> 0) * i8(a1[1] >> 0) + i8(a0[i * 4 + 1] >> 8) * i8(a1[1] >> 8) + i8(a0[i * 4 + 1] >> 16) * i8(a1[1] >> 16) + i8(a0[i * 4 + 1] >> 24) * i8(a1[1] >> 24) + i8(a0[i * 4 + 2] >> 0) * i8(a1[2] >> 0) + i8(a0[i * 4 + 2] >> 8) * i8(a1[2] >> 8) + i8(a0[i * 4 + 2] >> 16) * i8(a1[2] >> 16) + i8(a0[i * 4 + 2] >> 24) * i8(a1[2] >> 24) + i8(a0[i * 4 + 3] >> 0) * i8(a1[3] >> 0) + i8(a0[i * 4 + 3] >> 8) * i8(a1[3] >> 8) + i8(a0[i * 4 + 3] >> 16) * i8(a1[3] >> 16) + i8(a0[i * 4 + 3] >> 24) * i8(a1[3] >> 24)
kernel void long_sums(global const char *a, global const char *b, global int *whole, global int *loop, global int *functions) {
  int i = get_global_id(0);
  char16 x = vload16(i, a), y = vload16(0, b);
  whole[i] = x.s0 * y.s0 + x.s1 * y.s1 + x.s2 * y.s2 + x.s3 * y.s3 + x.s4 * y.s4 + x.s5 * y.s5 + x.s6 * y.s6 + x.s7 * y.s7 +
             x.s8 * y.s8 + x.s9 * y.s9 + x.sa * y.sa + x.sb * y.sb + x.sc * y.sc + x.sd * y.sd + x.se * y.se + x.sf * y.sf;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) sum += a[16 * i + k] * b[k];
  loop[i] = sum;
  functions[i] = dot(x.lo.lo, y.lo.lo) + dot(x.lo.hi, y.lo.hi) + dot(x.hi.lo, y.hi.lo) + dot(x.hi.hi, y.hi.hi);
}
