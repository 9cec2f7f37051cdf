// Private arrays that are more than drivers take: 24 KiB, 64 KiB, and some that stay.
// kernel: permuted
// global: 200
// local: 8
// arg: out uint 200 => 6143 * 6144 / 2 + 6144 * i
// arg: value uint = 5
kernel void permuted(global uint *out, uint step) {
  uint a[6144];
  uint g = get_global_id(0), at = g, sum = 0;
  for (uint k = 0; k < 6144; k++) {
    at = (at + step) % 6144;
    a[at] = at + g;
  }
  for (uint k = 0; k < 6144; k++) sum += a[(k * 7 + step) % 6144];
  out[g] = sum;
}
// kernel: shapes
// global: 6 4 3
// local: 2 2 1
// arg: out ulong 72 => 3 * ((i % 251) * 1000 + i) + (i % 97) + (2 * i + 8) % 128 + (i % 31)
// Bytes, doubled words and vectors beside each other, in three dimensions, with a barrier between.
kernel void shapes(global ulong *out) {
  uchar bytes[4096];
  ulong words[2048];
  uint4 vectors[1024];
  int few[31];
  local int shared[4];
  uint i = (get_global_id(2) * 4 + get_global_id(1)) * 6 + get_global_id(0), l = get_local_id(1) * 2 + get_local_id(0);
  for (uint k = 0; k < 4096; k++) bytes[k] = (k + i) % 128;
  for (uint k = 0; k < 2048; k++) words[(k * 3) % 2048] = ((k * 3) % 2048) * 1000ul + i;
  for (uint k = 0; k < 1024; k++) vectors[k] = (uint4)(k % 97, i, l, k);
  for (uint k = 0; k < 31; k++) few[(k + i) % 31] = (k + i) % 31;
  shared[l] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint other = shared[l];
  out[i] = words[i % 251] * 3 + vectors[other % 97].x + bytes[(i % 128 + 8) + 128 * (other % 3) - 128 * (i % 3)] + few[other % 31];
}
// Pointers that may point into either of two arrays; the NDRange is more than one dispatch may have memory for.
// kernel: either
// global: 3000
// arg: out uint 3000 => i % 2 ? 77 + i : 1000
kernel void either(global uint *out) {
  uint a[3000], b[3000], g = get_global_id(0);
  for (uint k = 0; k < 3000; k += 50) {
    a[k + g % 50] = 1000;
    b[k + g % 50] = 77 + g;
  }
  uint *p = g % 2 ? b : a;
  out[g] = p[g % 50 + 50 * (g % 60)];
}
