// Loops whose counters wrap around: they have up to 6148914691236517205 iterations. Nobody waits for so many; their
// results follow from their number. The counter of a loop may be in a structure that stays in memory. In the last
// kernel, each iteration stores the same values.
// kernel: wrapping
// global: 1
// arg: value uint = 7
// arg: out uint 14 => [8, 2576980396, 7, 5, 8, 1378254113, 3435973851, 126, 4294967254, 1431655765, 1431655765, 2863311529, 5, 6]
kernel void wrapping(uint x, global uint *out) {
  uint i, sum = 0, flip = x, mask = x, last = 0, power = 1, plain = 3;
  for (i = 0; i != 8; i += 5) {
    sum += i * 3 + x; flip ^= 0x55; mask &= x * 3; last = x + 1; power *= 3; plain += x;
  }
  out[0] = i; out[1] = sum; out[2] = flip; out[3] = mask; out[4] = last; out[5] = power; out[6] = plain;
  char c; short s = 0;
  for (c = 100; c < 120; c += 50) s -= 2;
  out[7] = c; out[8] = s;
  ulong count = 0; uint fives = 0;
  for (ulong w = 1; w; w += 3) { count++; fives += 5; }
  out[9] = count; out[10] = count >> 32; out[11] = fives;
  uint k, before = 0;
  for (k = 10; k > 2 && k != 5; k--) before = k;
  out[12] = k; out[13] = before;
}

// kernel: nested
// global: 1
// arg: value uint = 7
// arg: out uint 1 => [2881644871]
kernel void nested(uint x, global uint *out) {
  uint sum = x;
  for (uint i = 0; i != 1000000; i += 3)
    for (int j = 10; j >= -10; j -= 2)
      sum += 5;
  *out = sum;
}

struct members { uint i; short count; struct members *self; };

// kernel: in_memory
// global: 1
// arg: value uint = 7
// arg: out int 2 => [8, 26219]
kernel void in_memory(uint x, global int *out) {
  struct members m;
  m.self = &m;
  m.count = 3;
  for (m.i = 0; m.i != 8; m.i += 5)
    ++m.count;
  out[0] = m.self->i;
  out[1] = m.self->count;
}

// kernel: same_each_time
// global: 1
// arg: value uint = 7
// arg: inout uint 4 = 0 => [7, 8, 0, 8]
// arg: in uint 3 = 4 + i
kernel void same_each_time(uint x, global uint *out, global uint *restrict in) {
  uint i;
  for (i = 0; i != 8; i += 5) {
    out[0] = x;
    if (x & 1)
      out[1] = in[1] + 3;
    else
      out[2] = x;
  }
  out[3] = i;
}
