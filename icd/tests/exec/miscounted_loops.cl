// Loops whose iterations NIR counts incorrectly, because their counters wrap around or their bound is a minimum, and unrolls (compiler ADR 7,
// miscounted_loops). The loads and stores of volatile numbers keep the compiler from computing the results.
#define DO(n, type, start, step, test) if (i == n) { type z = start; do out[n]++; while ((z += (type)(step)) test); }
#define FOR(n, type, start, step, test) if (i == n) for (type z = start; z test; z += (type)(step)) out[n]++;

// Counters that wrap around in their first step. The driver found the exit condition to hold for the start, and no iteration after the first.
// kernel: unsigned_counters
// global: 14
// arg: inout uint 14 = 0 => [256, 73, 128, 19, 64, 32, 64, 64, 32, 64, 32, 32, 64, 32]
kernel void unsigned_counters(global volatile uint *out) {
  size_t i = get_global_id(0);
  DO(0, uchar, 0, -1, > 0)
  DO(1, uchar, 1, -7, >= 3)
  DO(2, uchar, 254, -2, <= 253)
  DO(3, uchar, 130, -7, <= 129)
  DO(4, uchar, 7, 4, != 7)
  DO(5, ushort, 0, 2048, > 1)
  DO(6, ushort, 65535, 3072, != 65535)
  DO(7, ushort, 4, -3072, > 98)
  DO(8, uint, 0x2u, -0x8000000u, > 0x2u)
  DO(9, uint, 0xfffffffdu, -0xc000000u, != 0xfffffffdu)
  DO(10, uint, 0xfffffff0u, 0x8000000u, < 0xffffff00u)
  DO(11, ulong, 0xaUL, -0x800000000000000UL, >= 0x67UL)
  DO(12, ulong, 0x1UL, -0xc00000000000000UL, >= 0x2UL)
  DO(13, ulong, 0x0UL, 0x800000000000000UL, != 0x0UL)
}

// The same for signed counters, most of which count away from their bounds until they wrap around.
// kernel: signed_counters
// global: 10
// arg: inout uint 10 = 0 => [18, 37, 43, 37, 32, 43, 33, 32, 64, 64]
kernel void signed_counters(global volatile uint *out) {
  size_t i = get_global_id(0);
  DO(0, char, 5, 7, >= 12)
  DO(1, char, -126, 7, >= -122)
  DO(2, char, 0, -3, <= -3)
  DO(3, char, 127, -7, < 124)
  DO(4, char, 3, 8, != 3)
  DO(5, short, -32762, 3072, >= -30714)
  DO(6, short, 0, -1024, < 0)
  DO(7, short, 9, 2048, != 9)
  DO(8, long, LONG_MIN, 864691128455135232L, != LONG_MIN)
  DO(9, long, 7L, 288230376151711744L, != 7L)
}

// The exit condition holds for the counter after the number of steps that the driver computes, but it has held before.
// kernel: later_values
// global: 7
// arg: inout uint 7 = 0 => [21, 16, 16, 8, 16, 17, 11]
kernel void later_values(global volatile uint *out) {
  size_t i = get_global_id(0);
  FOR(0, uchar, 90, 8, > 63)
  DO(1, uchar, 133, 8, > 125)
  FOR(2, ushort, 32769, 2048, > 26625)
  FOR(3, uint, 0xfffffff8u, 0x1u, >= 0xau)
  DO(4, uint, 0x80000000u, 0x8000000u, >= 0x10000001u)
  FOR(5, ulong, 0x7ffffffffffffffeUL, 0x800000000000000UL, >= 0x5800000000000000UL)
  FOR(6, uint, 0x80000001u, 0xc000000u, >= 0x7c000000u)
}

// A counter in a loop, with a second way out, and with a condition that has two parts.
// kernel: nested
// global: 2
// arg: inout uint 6 = 0 => [512, 512, 38, 38, 99, 99]
// arg: value uint = 0
kernel void nested(global volatile uint *out, uint never) {
  uint i = get_global_id(0);
  for (uint k = never; k < 2; k++) {
    uchar z = 0;
    do out[i]++; while (--z > 0);
  }
  for (uint k = never; k < 2; k++) {
    char z = 0;
    do {
      if (out[2 + i]++ == 1000) break;
    } while ((z += 7) >= 7);
  }
  uint k = never;
  do {
    char z = -1;
    do {
      out[4 + i]++;
    } while ((z += 4) >= 3 && out[i] != 0);
  } while (++k < 3);
}

// Counters that go down to a minimum. The driver took the constant for the bound.
// kernel: minimum
// global: 2
// arg: inout uint 8 = 0 => [10, 11, 11, 12, 20, 21, 2, 2]
// arg: value int = 0
kernel void minimum(global volatile uint *out, int first) {
  int i = get_global_id(0), n = first - i;
  for (int z = 10; z > min(n, 5); z--) out[i]++;
  for (int z = 10; z >= min(n, 5); z--) out[2 + i]++;
  int z = 20;
  do {
    z--;
    out[4 + i]++;
  } while (z > min(n, 5));
  for (int z = 0; z < min(n + 2 + i, 5); z++) out[6 + i]++;
}
