// Loops that replace elements of the buffer that they load from, and indices that wrap around by a mask.
// An element becomes a sum with later ones, as in the Mersenne twister; then a sum with earlier ones.
// kernel: twister
// global: 1
// arg: inout uint 40 = i * 3 + 1 => i < 23 ? 3 * (i + (i + 1) + 2 * (i + 17)) + 4 : i < 39 ? 3 * (i + (i + 1)) + 2 + 2 * (3 * (i - 23 + (i - 22) + 2 * (i - 6)) + 4) : 3 * 39 + 1
kernel void twister(global uint *state) {
  const uint n = 40, m = 17;
  for (uint i = 0; i < n - m; i++) state[i] = state[i] + state[i + 1] + 2 * state[i + m];
  for (uint i = n - m; i < n - 1; i++) state[i] = state[i] + state[i + 1] + 2 * state[i + m - n];
}
// What an iteration stores, the next but one loads; and the same at a distance that only the launch knows.
// kernel: recurrences
// global: 1
// arg: inout int 64 = i < 2 ? i + 1 : 0 => i % 2 + 1 + i / 2
// arg: inout int 64 = i < 3 ? i + 1 : 0 => i % 3 + 1 + i / 3
// arg: value int = 3
// arg: value int = 64
kernel void recurrences(global int *a, global int *b, int distance, int n) {
  for (int i = 2; i < n; i++) a[i] = a[i - 2] + 1;
  for (int i = distance; i < n; i++) b[i] = b[i - distance] + 1;
}
// In each iteration, the load comes after the store to the same element.
// kernel: after_store
// global: 1
// arg: inout int 50 = i => i * 2 + 1
// arg: out int 1 => 2500
// arg: value int = 50
kernel void after_store(global int *a, global int *sum, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) { a[i] = i * 2 + 1; s += a[i]; }
  *sum = s;
}
// Rings in local memory, of words and of pairs, that are left at one end and entered at the other.
// kernel: rings
// global: 32
// local: 32
// arg: out float 32 => ((i + 30) % 32) + 2 * ((i + 1) % 32) + 4 * ((i + 31) % 32) + 8 * ((i + 5) % 32) + 16 * (31 - (i + 3) % 32)
// arg: value int = 1000000
kernel void rings(global float *out, int far) {
  local float ring[32];
  local float2 pairs[32];
  int i = get_local_id(0);
  ring[(i + far * 32) & 31] = i;
  pairs[(i - 32) & 31] = (float2)(i, 31 - i);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = ring[(i - 2) & 31] + 2 * ring[(i + 1) & 31] + 4 * ring[(i + 63) & 31] + 8 * pairs[(i + 5) & 31].x + 16 * pairs[(i + 3) & 31].y;
}
