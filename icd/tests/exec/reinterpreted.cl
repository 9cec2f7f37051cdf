// Memory read and written as other types than its own (CL 6.2.4, 6.9), narrow and unaligned accesses, two names for one
// place. A check that fails leaves its bit cleared.
// needs: cl_khr_fp64

#define CHECK(k, x) if (x) bits |= 1UL << k

// kernel: local_bytes
// global: 32
// local: 32
// arg: out uint 128 => ((4 * (i % 4) + 16 * (i / 4)) & 255) * 0x01010101 + 0x03020100
// Neighbours write bytes and shorts of one word, without races; the whole comes out as uint4.
kernel void local_bytes(global uint4 *out) {
  local uchar b[512];
  int l = get_local_id(0);
  for (int k = 0; k < 16; k++) {
    int at = 32 * k + l;
    if (at & 2) ((local char *)b)[at] = at;
    else if (!(at & 1)) *(local ushort *)(b + at) = (ushort)((at & 255) | ((at + 1) & 255) << 8);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = ((local uint4 *)b)[l];
}
// kernel: local_vectors
// global: 16
// local: 16
// arg: in uint 64 = rnd(i)
// arg: out uchar 256 => (a0[i / 4] >> (8 * (i % 4))) & 255
// arg: out short 128 => i16(a0[i / 2] >> (16 * (i % 2)))
// arg: out ulong 32 => a0[2 * i] | (a0[2 * i + 1] << 32)
kernel void local_vectors(global const uint4 *in, global uchar *bytes, global short *shorts, global ulong *longs) {
  local uint4 v[16];
  int l = get_local_id(0);
  v[l] = in[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  local uchar *b = (local uchar *)v;
  local short *s = (local short *)v;
  local ulong *u = (local ulong *)v;
  for (int k = 0; k < 16; k++) bytes[16 * k + l] = b[16 * k + l];
  for (int k = 0; k < 8; k++) shorts[16 * k + l] = s[16 * k + l];
  for (int k = 0; k < 2; k++) longs[16 * k + l] = u[16 * k + l];
}
// kernel: private_memory
// global: 4
// arg: in uint 4 = i
// arg: out ulong 4 => (1 << 16) - 1
kernel void private_memory(global const uint *in, global ulong *out) {
  uint z = in[0];
  ulong bits = 0;
  uchar b[32];
  for (int k = 0; k < 32; k++) b[k] = k + 1;
  CHECK(0, ((uint *)b)[z + 1] == 0x08070605 && ((ulong *)b)[z] == 0x0807060504030201UL);
  CHECK(1, ((uint4 *)b)[z].w == 0x100f0e0d && ((ushort2 *)b)[z + 3].y == 0x100f);
  *(uint *)(b + 4 * z + 8) = 0xa1b2c3d4;
  CHECK(2, b[8] == 0xd4 && b[11] == 0xa1 && b[12] == 13);
  *(uchar4 *)(b + 16 + z) = (uchar4)(1, 1, 2, 2);
  CHECK(3, *(int *)&b[16] == 0x02020101);
  float f[4] = {1, 2, 3, 4};
  CHECK(4, ((uint *)f)[z] == 0x3f800000u && ((ushort *)f)[z + 3] == 0x4000);
  ((uint *)f)[z + 2] |= 0x80000000u;
  CHECK(5, f[2] == -3.0f);
  double d = 1.5;
  CHECK(6, ((uint *)&d)[z + 1] == 0x3ff80000 && ((uchar *)&d)[7 - z] == 0x3f);
  int4 v = (int4)(1, 2, 3, 4);
  ((int *)&v)[z + 2] = 30;
  CHECK(7, v.z == 30 && v.w == 4 && ((long *)&v)[z] == 0x200000001L);
  char3 c = (char3)(1, 2, 3);
  CHECK(8, ((char *)&c)[z + 2] == 3 && sizeof(c) == 4);
  struct { short a; int b; } s = {1, 2};
  CHECK(9, ((short *)&s)[z] == 1 && ((int *)&s)[z + 1] == 2);
  uint w[2] = {0x11223344, 0x55667788};
  // Not aligned: bytes by hand, as memcpy does.
  ushort u = 0;
  for (int k = 0; k < 2; k++) ((uchar *)&u)[k] = ((uchar *)w)[z + 3 + k];
  CHECK(10, u == 0x8811);
  ulong pair = 0;
  *((uint *)&pair + 1 + z) = 7;
  CHECK(11, pair == 7UL << 32);
  uint matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  uint *flat = (uint *)matrix;
  CHECK(12, flat[z + 4] == 5 && (&matrix[0][0])[z + 3] == 4);
  uint (*row)[3] = matrix + 1;
  CHECK(13, (*row)[z + 2] == 6 && row[-1][z] == 1);
  float16 wide = (float16)(z);
  ((float *)&wide)[9 + z] = 2.5f;
  CHECK(14, wide.s9 == 2.5f && wide.s8 == 0);
  wide.hi.lo = (float4)(1, 2, 3, 4);
  CHECK(15, ((float2 *)&wide)[z + 4].y == 2);
  out[get_global_id(0)] = bits;
}
// kernel: narrow_and_unaligned
// global: 64
// arg: in uchar 260 = rnd(i)
// arg: out uchar 64 => a0[i * 3 + 1]
// arg: out ushort 64 => a0[2 * i + 2] | a0[2 * i + 3] << 8
// arg: inout char 67 = 9 => i == 0 || i > 64 ? 9 : 64 - i
kernel void narrow_and_unaligned(global const uchar *in, global uchar *bytes, global ushort *shorts, global char *odd) {
  int i = get_global_id(0);
  bytes[i] = in[3 * i + 1];
  shorts[i] = ((global const ushort *)(in + 2))[i];
  (odd + 1)[i] = 63 - i;
}
// kernel: halves
// global: 33
// arg: in float 33 = i * 0.5 - 3
// arg: inout ushort 35 = 1 => i == 0 || i == 34 ? 1 : i == 7 ? 0 : i < 7 ? 0xC000 + (a0[i - 1] == 0 - 3 ? 0x200 : a0[i - 1] == 0 - 2.5 ? 0x100 : a0[i - 1] == 0 - 2 ? 0 : a0[i - 1] == 0 - 1.5 ? -512 : a0[i - 1] == 0 - 1 ? -1024 : -2048) : a1[i] * 0 + (a0[i - 1] == 0.5 ? 0x3800 : a0[i - 1] < 2 ? 0x3C00 + int((a0[i - 1] - 1) * 1024) : a0[i - 1] < 4 ? 0x4000 + int((a0[i - 1] - 2) * 512) : a0[i - 1] < 8 ? 0x4400 + int((a0[i - 1] - 4) * 256) : 0x4800 + int((a0[i - 1] - 8) * 128))
// Without cl_khr_fp16; at odd places of a word as well.
kernel void halves(global const float *in, global half *out) {
  int i = get_global_id(0);
  global half *p = out + 1 + i;
  vstore_half(in[i], 0, p);
  vstore_half(vload_half(0, p), 0, p);
}
// kernel: one_buffer
// global: 1
// arg: inout int 16 = i => i == 0 ? 7 : i == 1 ? 107 : i == 2 ? 50 : i == 3 ? 53 : i
kernel void one_buffer(global int *a) {
  global int *b = a;
  global float *f = (global float *)a;
  a[0] = 7;
  a[1] = b[0] + 100;
  b[2] = 5;
  a[2] *= 10;
  f[3] = as_float(b[2] + 3);
}
// kernel: volatile_memory
// global: 8
// local: 8
// arg: inout int 8 = i => i * 4 + 3
kernel void volatile_memory(volatile global int *a) {
  int i = get_global_id(0);
  volatile local int l[8];
  volatile int p = a[i];
  l[i] = p;
  l[i] = l[i] + p;
  p = p + l[i] + a[i];
  a[i] = p;
  a[i] = a[i] + 3;
}

// Quarters of a number that only the driver finds to be a constant.
// kernel: constant_quarters
// global: 1
// arg: out ushort 8 => [1, 0, 0xffff, 0xffff, 0, 0, 0, 0x4000]
// arg: in ulong 4 = i * 77 + 1
kernel void constant_quarters(global ushort *out, global ulong *in) {
  ulong4 zero = min(vload4(0, in), (ulong4)(0));
  vstore4(as_ushort4(zero.s3 - 0xffffffffU), 0, out);
  vstore4(as_ushort4(as_double(zero.s2 + 0x4000000000000000UL)), 1, out);
}
