// kernel: counts
// global: 1000
// arg: inout int 8 = 0 => i == 0 ? 1000 : i == 1 ? 499500 : i == 2 ? 999 : i == 3 ? -999 : i == 4 ? 1000 : i == 5 ? 0 : i == 6 ? 1023 : 0
kernel void counts(global int *c) {
  int i = get_global_id(0);
  atomic_inc(&c[0]);
  atomic_add(&c[1], i);
  atomic_max(&c[2], i);
  atomic_min(&c[3], -i);
  atomic_sub(&c[4], -1);
  atomic_and(&c[5], i);
  atomic_or(&c[6], i);
}
// kernel: histogram
// global: 1024
// local: 64
// arg: in uint 1024 = (i * 7) % 16
// arg: inout uint 16 = 0 => 64
kernel void histogram(global const uint *in, global uint *out) {
  local uint bins[16];
  int l = get_local_id(0);
  if (l < 16) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[in[get_global_id(0)]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) atomic_add(&out[l], bins[l]);
}
// kernel: exchange
// global: 64
// arg: inout uint 2 = i == 0 ? 64 : 0 => i == 0 ? 0 : tri(63)
kernel void exchange(volatile global uint *c) {
  uint seen, want;
  do {
    seen = c[0];
    want = atomic_cmpxchg(&c[0], seen, seen - 1);
  } while (want != seen);
  atomic_add(&c[1], seen - 1);
}
// kernel: exchanged_floats
// local: 16
// global: 16
// arg: in float 16 = i * 1.5 + 1
// arg: inout float 1 = 1000 => a1[0]
// arg: out float 1 => 16 * 1.5 * 15 / 2 + 16 + 1000
// The sum of what everybody found and what is left is that of all numbers.
kernel void exchanged_floats(global const float *in, volatile global float *cell, global float *sum) {
  volatile local float one;
  local float found[16];
  int i = get_global_id(0);
  if (i == 0)
    one = *cell;
  barrier(CLK_LOCAL_MEM_FENCE);
  found[i] = atomic_xchg(&one, in[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    float s = one;
    for (int k = 0; k < 16; k++)
      s += found[k];
    *sum = s;
  }
  atomic_xchg(cell, *cell);
}
