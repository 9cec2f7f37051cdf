// Products of 64-bit integers one of which has a single bit that can be set. NVIDIA's driver chose between the other number and 0 by this
// bit, but compared the upper words with memory that it had not initialized (compiler ADR 7, single_bits).

// kernel: products
// global: 64
// arg: in ulong 64 = rnd(i) << 32 | rnd(i + 64)
// arg: in ulong 64 = (rnd(i + 128) << 32 | rnd(i + 192)) >> 4
// arg: out ulong 64 => (a0[i] & 1) * a1[i]
// arg: out ulong 64 => (a0[i] & 8) * a1[i]
// arg: out ulong 64 => (a0[i] >> 63) * a1[i]
// arg: out ulong 64 => (a0[i] >> 40 & 1) * a1[i]
// arg: out ulong 64 => (a0[i] >> 3 & 1) * a1[i]
// arg: out ulong 64 => a1[i] * (a0[i] >> 60 & 8)
// arg: out ulong 64 => a1[i] * ((a0[i] ^ a1[i]) & 1)
// arg: out ulong 64 => (a0[i] & 1) * (a1[i] & 1)
// arg: out ulong 64 => (a0[i] & 1) * a1[i] + (a0[i] >> 1 & 1) * a1[i]
kernel void products(global const ulong *x, global const ulong *y, global ulong *a, global ulong *b, global ulong *c, global ulong *d,
                     global ulong *e, global ulong *f, global ulong *g, global ulong *h, global ulong *j) {
  const size_t i = get_global_id(0);
  a[i] = (x[i] & 1) * y[i];
  b[i] = (x[i] & 8) * y[i];
  c[i] = (x[i] >> 63) * y[i];
  d[i] = (x[i] >> 40 & 1) * y[i];
  e[i] = (x[i] >> 3 & 1) * y[i];
  f[i] = y[i] * (x[i] >> 60 & 8);
  g[i] = y[i] * ((x[i] ^ y[i]) & 1);
  h[i] = (x[i] & 1) * (y[i] & 1);
  j[i] = (x[i] & 1) * y[i] + (x[i] >> 1 & 1) * y[i];
}

// kernel: choices
// global: 64
// arg: in ulong 64 = rnd(i) << 32 | rnd(i + 64)
// arg: in ulong 64 = (rnd(i + 128) << 32 | rnd(i + 192)) >> 4
// arg: out ulong 64 => (a0[i] & 1) * a1[i]
// arg: out ulong 64 => (a0[i] & 1) * a1[i]
// arg: out ulong 64 => (a0[i] >> 4 & 1) * a1[i]
// arg: out ulong 64 => a1[i] + (a0[i] & 1)
// arg: out ulong 64 => a1[i] << (a0[i] & 1)
// arg: out ulong 64 => a1[i] >> (a0[i] & 4)
// arg: out ulong 64 => a1[i] - (1 - (a0[i] & 1))
// arg: out ulong 64 => (a1[i] & 1) * 4294967296 + (a0[i] & 1)
// arg: out float 64 => a0[i] >> 32 & 1
kernel void choices(global const ulong *x, global const ulong *y, global ulong *a, global ulong *b, global ulong *c, global ulong *d,
                    global ulong *e, global ulong *f, global ulong *g, global ulong *h, global float *j) {
  const size_t i = get_global_id(0);
  a[i] = -(x[i] & 1) & y[i];
  b[i] = (x[i] & 1) != 0 ? y[i] : 0;
  c[i] = (x[i] & 16) == 16 ? y[i] : 0;
  d[i] = y[i] + (x[i] & 1);
  e[i] = y[i] << (x[i] & 1);
  f[i] = y[i] >> (x[i] & 4);
  g[i] = y[i] - ((x[i] & 1) ^ 1);
  h[i] = (y[i] & 1) << 32 | (x[i] & 1);
  j[i] = (float)(x[i] >> 32 & 1);
}
