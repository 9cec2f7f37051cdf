// Objects that demand larger alignments than any type has (CL 6.11.1): their addresses are multiples of these, in every
// address space, also as numbers that a kernel computes with.

#define ALIGNED(n) __attribute__((aligned(n)))
typedef struct ALIGNED(512) { int x; char c; } s512;
typedef struct { char before; int x ALIGNED(1024); char after; } s1024;
typedef int i2048 ALIGNED(2048);

constant int odd[3] = {1, 2, 3};
constant int c256 ALIGNED(256) = 5;
constant char c1 = 1;
constant int c512[3] ALIGNED(512) = {1, 2, 3};
constant char c2 = 2;
constant uchar c1024 ALIGNED(1024) = 7;
constant i2048 c2048 = 8;
constant char c3 = 3;
constant short c4096 ALIGNED(4096) = 9;
constant s512 structs[2] = {{1, 2}, {3, 4}};
constant s1024 fields[2] = {{1, 2, 3}, {4, 5, 6}};
constant int *constant to = &c512[1];

// kernel: constants
// global: 10
// arg: in ulong 10 = [256, 512, 1024, 2048, 4096, 512, 512, 1024, 1024, 512]
// arg: out ulong 10 => [0, 0, 0, 0, 0, 0, 0, 0, 0, 4]
// arg: out int 10 => [5, 2, 7, 8, 9, 1, 4, 2, 6, 2]
kernel void constants(global const ulong *n, global ulong *out, global int *values) {
  int i = get_global_id(0);
  constant void *all[] = {&c256, c512, &c1024, &c2048, &c4096, structs, structs + 1, &fields[0].x, &fields[1].x, to};
  int contents[] = {c256, c512[c1], c1024, c2048, c4096, structs[i != 5].x, structs[1].c, fields[0].x, fields[1].after, *to};
  out[i] = (ulong)all[i] % n[i];
  values[i] = contents[i];
}

// kernel: constant_remainders
// global: 1
// arg: out ulong 6 => [0, 0, 0, 0, 4, 1]
kernel void constant_remainders(global ulong *out) {
  out[0] = (ulong)&c512 % 512;
  out[1] = (ulong)&c1024 % 1024;
  out[2] = (ulong)&c2048 % 2048;
  out[3] = (ulong)&c4096 & 4095;
  out[4] = (ulong)to % 512;
  out[5] = ((ulong)&structs[1] - (ulong)structs) / 512;
}

// kernel: local_variables
// global: 8
// local: 4
// arg: in ulong 8 = [512, 1024, 2048, 4096, 512, 1024, 512, 256]
// arg: out ulong 16 => 0
// arg: out int 16 => [3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0]
kernel void local_variables(global const ulong *n, global ulong *out, global int *values) {
  local char a;
  local int b[4] ALIGNED(512);
  local s1024 c;
  local i2048 d;
  local char e;
  local short f ALIGNED(4096);
  local s512 g[2];
  int l = get_local_id(0), i = get_global_id(0);
  b[l] = l;
  if (!l) a = 1, e = 2, d = f = 3, c.x = 4, g[1].x = 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  local void *all[] = {b, &c.x, &d, &f, g, &c, g + 1, b};
  for (int k = l; k < 8; k += 4) out[i / 4 * 8 + k] = (ulong)all[k] % n[k];
  values[i] = values[i + 8] = b[3 - l] + (a + e + d + f + c.x + g[1].x != 18);
}

// kernel: local_arguments
// global: 2
// local: 1
// arg: local 3
// arg: local 1024
// arg: local 20
// arg: local 4096
// arg: local 1024
// arg: local 128
// arg: in ulong 6 = [1, 512, 4, 1024, 32, 128]
// arg: out ulong 6 => 0
kernel void local_arguments(local char *a, local s512 *b, local int *c, local s1024 *d, local int8 (*e)[3], local long16 *f,
                            global const ulong *n, global ulong *out) {
  local int own ALIGNED(256);
  own = 1;
  a[2] = 1;
  c[4] = 2;
  b[1].x = 3;
  d[1].after = 4;
  e[0][1].s3 = 5;
  f->sf = 6;
  local void *all[] = {a, b, c, &d->x, e, f};
  for (int k = 0; k < 6; k++)
    out[k] = (ulong)all[k] % n[k] + (a[2] + c[4] + b[1].x + d[1].after + e[0][1].s3 + f->sf + own != 22);
}

// Arguments in local memory waste none for an alignment that they do not demand: three of these fill 16 KiB, which is all that some devices have.
// kernel: whole_local_memory
// global: 1
// local: 1
// arg: local 16
// arg: local 8192
// arg: local 8176
// arg: out uint 3 => [1, 2, 3]
kernel void whole_local_memory(local int *a, local int (*b)[2048], local int *c, global uint *out) {
  a[0] = 1;
  b[0][2047] = 2;
  c[0] = 3;
  out[0] = a[0];
  out[1] = b[0][2047];
  out[2] = c[0];
}

// kernel: private_variables
// global: 2
// arg: in ulong 9 = [256, 512, 1024, 2048, 4096, 512, 1024, 512, 512]
// arg: out ulong 18 => 0
// arg: out int 18 => [0, 2, 4, 6, 8, 10, 12, 14, 16, 1, 3, 5, 7, 9, 11, 13, 15, 17]
void keep(ulong *list, int at, ulong p) { list[at] = p; }
kernel void private_variables(global const ulong *n, global ulong *out, global int *values) {
  char a = 1;
  int b ALIGNED(256) = 2;
  int c[3] ALIGNED(512) = {1, 2, 3};
  s1024 d = {1, 2, 3};
  i2048 e = 4;
  char f = 5;
  short g ALIGNED(4096) = 6;
  s512 h[2] = {{1, 2}, {3, 4}};
  struct { char first; s512 inner; } j = {1, {2, 3}};
  int i = get_global_id(0);
  void *all[] = {&b, c, &d.x, &e, &g, h, &d, h + 1, &j.inner};
  ulong first[9];
  for (int k = 0; k < 9; k++) keep(first, k, (ulong)all[(k + i) % 9]);
  for (int k = 0; k < 9; k++) out[i * 9 + (k + i) % 9] = first[k] % n[(k + i) % 9];
  int sum = a + b + c[2] + d.after + e + f + g + h[1].x + j.inner.c;
  for (int k = 0; k < 9; k++) values[i * 9 + k] = 2 * k + i + (sum != 30) * 100;
}

// A kernel's argument, and those of functions.
// kernel: by_value
// global: 1
// arg: value int = 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
// arg: in ulong 3 = [512, 512, 512]
// arg: out ulong 6 => [0, 0, 0, 130, 131, 132]
__attribute__((noinline)) ulong remainder_of(s512 s, int by, global const ulong *n, global ulong *out) {
  s.x += by;
  s512 *p = by == 7 ? 0 : &s;
  out[by] = p->x;
  return (ulong)p % n[by - 4];
}
kernel void by_value(s512 s, global const ulong *n, global ulong *out) {
  out[0] = (ulong)&s % n[0];
  out[1] = remainder_of(s, 4, n, out);
  s512 *p = &s;
  p->x++;
  out[2] = remainder_of(*p, 4, n, out);
  out[3] = p->x + 129 - 1;
  out[4] = s.c + 129;
  out[5] = (ulong)p % n[2] + 132;
}
