// kernel: arithmetic
// global: 256
// arg: in int 256 = i32(rnd(i))
// arg: in int 256 = i32(rnd(i + 1000)) | 1
// arg: out int 2048 => i / 256 == 0 ? i32(a0[i % 256] + a1[i % 256]) : i / 256 == 1 ? i32(a0[i % 256] - a1[i % 256]) : i / 256 == 2 ? i32(a0[i % 256] * a1[i % 256]) : i / 256 == 3 ? i32(a0[i % 256] / a1[i % 256]) : i / 256 == 4 ? a0[i % 256] % a1[i % 256] : i / 256 == 5 ? a0[i % 256] & a1[i % 256] : i / 256 == 6 ? a0[i % 256] >> (a1[i % 256] & 31) : i32(a0[i % 256] << (a1[i % 256] & 31))
kernel void arithmetic(global const int *a, global const int *b, global int *r) {
  int i = get_global_id(0);
  int x = a[i], y = b[i];
  r[i] = x + y;
  r[256 + i] = x - y;
  r[512 + i] = x * y;
  r[768 + i] = x / y;
  r[1024 + i] = x % y;
  r[1280 + i] = x & y;
  r[1536 + i] = x >> (y & 31);
  r[1792 + i] = x << (y & 31);
}
// kernel: unsigned_arithmetic
// global: 64
// arg: in uint 64 = rnd(i)
// arg: in uint 64 = (rnd(i + 77) >> 16) | 1
// arg: out uint 256 => i < 64 ? a0[i] / a1[i] : i < 128 ? a0[i - 64] % a1[i - 64] : i < 192 ? a0[i - 128] >> (a1[i - 128] & 31) : (a0[i - 192] > a1[i - 192])
kernel void unsigned_arithmetic(global const uint *a, global const uint *b, global uint *r) {
  int i = get_global_id(0);
  r[i] = a[i] / b[i];
  r[64 + i] = a[i] % b[i];
  r[128 + i] = a[i] >> (b[i] & 31);
  r[192 + i] = a[i] > b[i];
}
// kernel: wide
// global: 64
// arg: in long 64 = i64((rnd(i) << 32) | rnd(i + 500))
// arg: in long 64 = i64((rnd(i + 900) << 20) | 1)
// arg: out long 256 => i < 64 ? i64(a0[i] * a1[i]) : i < 128 ? a0[i - 64] / a1[i - 64] : i < 192 ? a0[i - 128] >> (a1[i - 128] & 63) : i64(a0[i - 192] ^ ~a1[i - 192])
kernel void wide(global const long *a, global const long *b, global long *r) {
  int i = get_global_id(0);
  r[i] = a[i] * b[i];
  r[64 + i] = a[i] / b[i];
  r[128 + i] = a[i] >> (b[i] & 63);
  r[192 + i] = a[i] ^ ~b[i];
}
// kernel: narrow
// global: 256
// arg: in char 256 = i8(i)
// arg: in uchar 256 = i
// arg: in short 256 = i16(rnd(i))
// arg: out short 256 => i16(a0[i] * a1[i] + a2[i])
// arg: out char 256 => i8(a0[i] + 100)
// arg: out uchar 256 => u8(a1[i] * 3)
kernel void narrow(global const char *a, global const uchar *b, global const short *c, global short *r,
                   global char *s, global uchar *t) {
  int i = get_global_id(0);
  r[i] = a[i] * b[i] + c[i];
  s[i] = a[i] + 100;
  t[i] = b[i] * 3;
}
// kernel: widened_compare
// global: 64
// arg: in int 64 = i32(rnd(i)) >> (i & 31)
// arg: out int 256 => i < 64 ? (88888888 > a0[i]) : i < 128 ? (a0[i - 64] >= 7) : i < 192 ? (a0[i - 128] < 8589934591) : (0 - 5 < a0[i - 192])
// Mesa 22.3 compares a widened int with a constant the wrong way round.
kernel void widened_compare(global const int *a, global int *r) {
  int i = get_global_id(0);
  long v = a[i];
  r[i] = 88888888L > v;
  r[64 + i] = v >= 7L;
  r[128 + i] = v < 0x1ffffffffL;
  r[192 + i] = -5L < v;
}
