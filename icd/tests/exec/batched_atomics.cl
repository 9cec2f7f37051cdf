// Loops with loads from buffers and atomic operations on work-group memory: the loads of several iterations may come first, and the
// atomic operations keep their order.
// kernel: histogram
// global: 16
// local: 16
// arg: in int 200 = i < 40 ? 3 : i
// arg: out int 16 => i == 3 ? 60 : i < 8 ? 20 : 0
// arg: value int = 200
kernel void histogram(global const int *in, global int *out, int n) {
  local int counts[16];
  int l = get_local_id(0);
  counts[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = l; k < n; k += 16) atomic_inc(&counts[in[k] & 7]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = counts[l];
}
// One work-item, whose results depend on the order of its operations and of its loads from the same memory.
// kernel: order
// global: 1
// local: 1
// arg: in int 40 = i + 1
// arg: out int 2 => i == 0 ? 10660 : 11480
// arg: value int = 40
kernel void order(global const int *in, global int *out, int n) {
  local int sum[1];
  sum[0] = 0;
  int before = 0, after = 0;
  for (int k = 0; k < n; k++) {
    before += atomic_add(&sum[0], in[k]);
    after += sum[0];
  }
  out[0] = before;
  out[1] = after;
}
// The result of the operation is the index of the load.
// kernel: taken
// global: 1
// local: 1
// arg: in int 40 = i * 3
// arg: out int 1 => 2340
// arg: value int = 40
kernel void taken(global const int *in, global int *out, int n) {
  local int next[1];
  next[0] = 0;
  int sum = 0;
  for (int k = 0; k < n; k++) sum += in[atomic_inc(&next[0])];
  out[0] = sum;
}
// A large constant step, and an index that would wrap around.
// kernel: large_step
// global: 3
// arg: in int 400 = i + 1
// arg: out int 3 => i == 0 ? 231 : i == 1 ? 210 : 2
// arg: value uint = 2000001
// arg: value uint = 4294967295
kernel void large_step(global const int *in, global int *out, uint n, uint most) {
  uint g = get_global_id(0);
  int sum = 0;
  if (g < 2) {
    for (uint k = g; k < n; k += 100000) sum += in[k / 100000];
  } else {
    for (uint k = most - 50000; k < most && sum < 1000; k += 100000) {
      sum += in[0];
      if (k < 100000) break;
    }
  }
  out[g] = sum;
}
