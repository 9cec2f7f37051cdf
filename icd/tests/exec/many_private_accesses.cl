// Private arrays with more accesses than some drivers take in reasonable time (compiler ADR 16).
#define TWICE(X, k) X(k) X((k) + 1)
#define FOUR(X, k) TWICE(X, k) TWICE(X, (k) + 2)
#define SIXTEEN(X, k) FOUR(X, k) FOUR(X, (k) + 4) FOUR(X, (k) + 8) FOUR(X, (k) + 12)
#define MANY(X, k) SIXTEEN(X, k) SIXTEEN(X, (k) + 16) SIXTEEN(X, (k) + 32) SIXTEEN(X, (k) + 48)
// One array, with 320 stores and 110 loads.
// kernel: scattered
// global: 96
// local: 32
// arg: in uint 96 = i * 5 + 1
// arg: out uint 96 => 330 * a0[i] + 21958
kernel void scattered(global const uint *in, global uint *out) {
  uint a[32], x = in[get_global_id(0)], sum = 0;
#define STORE(k) a[(x + (k)) & 31] = x * 3 + (k);
#define LOAD(k) if ((k) % 4 == 0 && (k) >= 8) sum += a[(x + (k) - 5) & 31];
#define STEP(k) STORE(k) LOAD(k)
  MANY(STEP, 0) MANY(STEP, 64) MANY(STEP, 128) MANY(STEP, 192) MANY(STEP, 256)
  for (uint k = 0; k < 32; k++) sum += a[k];
  out[get_global_id(0)] = sum;
}
// An array of structures in two dimensions, whose members are stored 256 times each under a condition and read after a barrier.
// kernel: structures
// global: 4 2
// local: 4 1
// arg: in uint 8 = i * 3
// arg: out uint 8 => [12075, 12096, 57, 12150, 12183, 12204, 12237, 12258]
typedef struct {
  uint a;
  uchar c[4];
} Mixed;
kernel void structures(global const uint *in, global uint *out) {
  Mixed s[8];
  local uint shared[4];
  uint i = get_global_id(1) * 4 + get_global_id(0), l = get_local_id(0), x = in[i];
  for (uint e = 0; e < 8; e++) {
    s[e].a = 1;
    for (uint k = 0; k < 4; k++) s[e].c[k] = 1;
  }
  shared[l] = x;
  if (x != 6) {
#define MEMBERS(k) s[(x + (k)) & 7].a = x + (k); s[(x + (k)) & 7].c[(k) & 3] = (k);
    MANY(MEMBERS, 0) MANY(MEMBERS, 64) MANY(MEMBERS, 128) MANY(MEMBERS, 192)
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = shared[l ^ 1];
  for (uint e = 0; e < 8; e++) sum += s[e].a + 5 * s[e].c[(e - x) & 3];
  out[i] = sum;
}
