// Large private arrays of vectors with each size of elements, from 2 to 32 bytes, beside each other, so that
// no two of them begin at a multiple of the same size.
// kernel: vectors
// global: 100
// local: 4
// arg: in uint 100 = i * 37 + 11
// arg: out ulong 500 => (200 + i % 5) * 1000003 + (i - i % 5) / 5
kernel void vectors(global const uint *in, global ulong *out) {
  char2 a[99];
  short2 b[99];
  uint2 c[99];
  ulong2 d[99];
  ulong4 e[99];
  const uint g = get_global_id(0), x = in[g] % 99;
  for (uint k = 0; k < 99; ++k) {
    const uint at = (k * 5 + x) % 99;
    a[at] = (char2)(at, g % 7);
    b[at] = (short2)(at * 3, g);
    c[at] = (uint2)(at * 1000003, g);
    d[at] = (ulong2)(at * 1000003ul, g);
    e[at] = (ulong4)(at, at * 1000003ul, g, g * 1000003ul);
  }
  uint wrong = 0;
  for (uint k = 0; k < 99; ++k) {
    const uint at = (k * 7 + x) % 99;
    wrong += any(a[at] != (char2)(at, g % 7)) || any(b[at] != (short2)(at * 3, g));
    wrong += any(c[at] != (uint2)(at * 1000003, g)) || any(d[at] != (ulong2)(at * 1000003ul, g));
    wrong += any(e[at] != (ulong4)(at, at * 1000003ul, g, g * 1000003ul));
  }
  for (uint k = 0; k < 5; ++k) out[g * 5 + k] = (200 + k + wrong) * 1000003ul + g;
}
// kernel: largest
// global: 64
// local: 8
// arg: in uint 64 = i * 37 + 11
// arg: out ulong 64 => 3 * i + 4 * ((i * 37 + 11) % 61)
// An array whose elements have 32 bytes, after one with an odd number of 16 bytes.
kernel void largest(global const uint *in, global ulong *out) {
  uint4 few[61];
  long4 many[61];
  const uint g = get_global_id(0), x = in[g] % 61;
  for (uint k = 0; k < 61; ++k) {
    many[(k + x) % 61] = (long4)(k, g, (k + x) % 61, -1);
    few[(k * 2 + x) % 61] = (uint4)((k * 2 + x) % 61, g, k, 5);
  }
  out[g] = many[x].y + 2 * many[x].z + few[x].x * 2 + few[(x + 5) % 61].y + many[(x + 9) % 61].y;
}
