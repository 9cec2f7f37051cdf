// Memory that the compiler keeps in registers while a loop runs, loads before the loop, or accesses as vectors, and stores
// that it drops because a later store overwrites them.
// kernel: sums
// global: 32
// arg: in int 64 = rnd(i) % 100
// arg: inout int 33 = 3 * i => 3 * i + (i < 32) * a0[63] * (a0[i] * (i % 5 > 0) + a0[i + 1] * (i % 5 > 1) + a0[i + 2] * (i % 5 > 2) + a0[i + 3] * (i % 5 > 3))
kernel void sums(global const int *restrict in, global int *restrict out) {
  int i = get_global_id(0);
  for (int k = 0; k < i % 5; k++) out[i] += in[i + k] * in[63];
}
// Nothing may be read where the loop is not executed at all.
// kernel: nothing
// global: 4
// arg: null
// arg: out int 4 => i + 7
// arg: value int = 0
kernel void nothing(global int *restrict absent, global int *restrict out, int n) {
  int i = get_global_id(0), sum = 7;
  for (int k = 0; k < n; k++) {
    sum += absent[5] + out[i];
    absent[k & 1] += sum;
  }
  out[i] = i + sum;
}
// kernel: one_buffer
// global: 1
// arg: inout int 8 = i + 1 => i == 0 ? 37 : i + 1
// arg: value int = 8
kernel void one_buffer(global int *p, int n) {
  global int *q = n > 100 ? p + 1 : p;
  for (int k = 0; k < n; k++) p[0] += q[k];
}
// kernel: leaving
// global: 16
// arg: in int 16 = i
// arg: inout int 16 = 100 => 100 + i * (i - 1) / 2 + (i < 4 ? 0 : 1000)
kernel void leaving(global const int *restrict in, global int *restrict out) {
  int i = get_global_id(0);
  for (int k = 0; k < in[i]; k++) {
    out[i] += k;
    if (k == i - 1 && i >= 4) { out[i] += 1000; return; }
  }
}
// kernel: structs
// global: 24
// arg: in uint 96 = rnd(i)
// arg: inout uint 96 = i => (i % 4 == 0 ? a0[i] + 1 : i % 4 == 1 ? a0[i] ^ (a0[i - 1] + 1) : i % 4 == 2 ? a0[i] + a0[i + 1] : i + 5) % 4294967296
typedef struct { uint a; int b; uint c; uint d; } S;
kernel void structs(global const S *restrict in, global S *restrict out) {
  uint i = get_global_id(0);
  out[i].a = 0;
  out[i].a = in[i].a + 1;
  out[i].b = in[i].b ^ (int)out[i].a;
  out[i].c = in[i].c + in[i].d;
  out[i].d += 5;
}
// kernel: quads
// global: 16
// arg: in uchar 64 = i * 7
// arg: out float 64 => a0[i] + a0[i / 4 * 4 + 3 - i % 4]
kernel void quads(global const uchar *in, global float *out) {
  uint i = get_global_id(0);
  float a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2], d = in[4 * i + 3];
  out[4 * i] = a + d;
  out[4 * i + 1] = b + c;
  out[4 * i + 2] = c + b;
  out[4 * i + 3] = d + a;
}
// kernel: overlapping
// global: 8
// arg: inout ushort 32 = i * 257 => i % 4 == 0 ? i * 257 : i % 4 == 1 ? 4660 : i % 4 == 2 ? (i - 2) * 257 : 4660
kernel void overlapping(global ushort *p) {
  int i = get_global_id(0);
  global uint *words = (global uint *)(p + 4 * i);
  uint before = words[0];
  p[4 * i + 1] = 0x1234;
  words[1] = words[0];
  if ((before & 0xffff) != p[4 * i]) p[4 * i] = 0;
}
// kernel: local_sums
// global: 32
// local: 8
// arg: in int 32 = rnd(i) % 1000
// arg: out int 32 => a0[i / 8 * 8] + a0[i / 8 * 8 + 1] + a0[i / 8 * 8 + 2] + a0[i / 8 * 8 + 3] + a0[i / 8 * 8 + 4] + a0[i / 8 * 8 + 5] + a0[i / 8 * 8 + 6] + a0[i / 8 * 8 + 7] + i % 8
// arg: local 32
kernel void local_sums(global const int *in, global int *out, local int *part) {
  local int total[8];
  int l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  total[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 8; k++) total[l] += part[(l + k) % 8];
  out[get_global_id(0)] = total[l];
}
