// A pure function that is too large to be copied into each of its many callers: it stays a function.
#define ROUND x ^= x << 13; x ^= x >> 17; x ^= x << 5; x *= 0x9e3779b1u;
#define ROUNDS ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND
#define CASE(n) case n: r = rounds(x + n); break;
#define CASES(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4) CASE(n + 5) CASE(n + 6) CASE(n + 7) \
                 CASE(n + 8) CASE(n + 9)

uint rounds(uint x) {
  if (x % 5 == 0)
    return x + 1;
  ROUNDS
  return x;
}

// The same, small enough to be copied.
uint rounds_in_a_loop(uint x) {
  if (x % 5 == 0)
    return x + 1;
  for (int n = 0; n < 16; n++) {
    ROUND
  }
  return x;
}

// kernel: called_often
// global: 256
// arg: inout uint 256 = rnd(i) => 1
kernel void called_often(global uint *p) {
  int i = get_global_id(0);
  uint x = p[i], r = 0;
  switch (i % 80) {
    CASES(0) CASES(10) CASES(20) CASES(30) CASES(40) CASES(50) CASES(60) CASES(70)
  }
  p[i] = r == rounds_in_a_loop(x + i % 80);
}
