// Fences (CL 6.12.9): what a work-item wrote before a flag is there for who sees the flag. The flag is an atomic.
// kernel: ordered
// global: 64
// local: 64
// arg: inout uint 65 = 0 => i < 64 ? 1 + 3 * i : 64
// arg: inout uint 64 = 0 => i < 63 ? 1 : 1
kernel void ordered(volatile global uint *cells, volatile global uint *flags) {
  uint i = get_global_id(0);
  // Each writes, then raises its flag; the neighbour looks once, and what it then sees must be complete.
  cells[i] = 1 + 3 * i;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(&flags[i], 1u);
  uint next = (i + 1) % 64, raised = atomic_or(&flags[next], 0u);
  read_mem_fence(CLK_GLOBAL_MEM_FENCE);
  uint good = !raised || cells[next] == 1 + 3 * next;
  write_mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  atomic_add(&cells[64], good);
}
// kernel: own_work
// global: 32
// local: 8
// arg: out int 32 => (i % 8) * (i % 8) + i % 8 + 7
// A fence alone orders what one work-item does itself.
kernel void own_work(global int *out) {
  local int cell[8];
  int l = get_local_id(0);
  cell[l] = l;
  mem_fence(CLK_LOCAL_MEM_FENCE);
  int x = cell[l];
  cell[l] = x * x;
  write_mem_fence(CLK_LOCAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = cell[l] + x;
  mem_fence(0);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] += 7;
}
// Fences and volatile accesses where only some work-items come by, and not equally often: barriers after them work.
// kernel: diverging_fences
// global: 64
// local: 64
// arg: in int 64 = i % 5
// arg: out int 64 => (63 - i) < 20 ? 2 * ((63 - i) % 5) + 1 : 1
kernel void diverging_fences(global const int *in, global int *out) {
  local int sums[64];
  int i = get_local_id(0), sum = 0;
  sums[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < 20)
    for (int k = 0; k < in[i]; k++) {
      sum += 2;
      mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      write_mem_fence(CLK_LOCAL_MEM_FENCE);
    }
  sums[i] = sum + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = sums[63 - i];
}
// kernel: diverging_volatile
// global: 64
// local: 64
// arg: inout int 64 = i % 5 => i == 63 ? 8 : i % 5
// arg: out int 64 => (63 - i) < 20 ? 2 * ((63 - i) % 5) + 1 : 1
kernel void diverging_volatile(volatile global int *in, global int *out) {
  local int sums[64];
  int i = get_local_id(0), sum = 0;
  sums[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < 20)
    for (int k = 0; k < in[i]; k++) {
      sum += 2;
      if (sum == 8) in[63] = sum;
    }
  sums[i] = sum + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = sums[63 - i];
}
