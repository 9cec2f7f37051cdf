// The work-items of a sub-group exchange values through volatile memory without barriers. This works where a sub-group executes
// instructions together, as long as each work-item's volatile accesses keep their order.
// options: -cl-std=CL3.1
// needs: __opencl_c_subgroups
#define STEP(n) if (size > n) v[lane] = sum = sum + v[lane + n];
#define STEPS STEP(64) STEP(32) STEP(16) STEP(8) STEP(4) STEP(2) STEP(1)

// Each sub-group adds the numbers of its work-items; all sums are added in the end.
// kernel: in_local_memory
// global: 1024
// local: 128
// arg: in uint 1024 = (i * 7919 + 3) % 1009
// arg: out uint 8 => 0
kernel void in_local_memory(global const uint *p, global uint *r) {
  local uint scratch[128 * 2];
  local uint sums[128], expected;
  volatile local uint *v = scratch + get_sub_group_id() * get_max_sub_group_size() * 2;
  uint lane = get_sub_group_local_id(), size = get_sub_group_size(), n = get_local_id(0);
  uint sum = p[get_global_id(0)];
  if (n == 0) expected = 0;
  scratch[n] = scratch[n + 128] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&expected, sum);
  v[lane] = sum;
  STEPS
  if (lane == 0) sums[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n == 0) {
    uint all = 0;
    for (uint k = 0; k < get_num_sub_groups(); k++) all += sums[k];
    r[get_group_id(0)] = all - expected;
  }
}

// kernel: of_long_numbers
// global: 1024
// local: 128
// arg: in ulong 1024 = (i * 7919 + 3) % 1009 * 4294967297
// arg: out ulong 8 => 0
kernel void of_long_numbers(global const ulong *p, global ulong *r) {
  local ulong scratch[128 * 2];
  local ulong sums[128], first[128];
  volatile local ulong *v = scratch + get_sub_group_id() * get_max_sub_group_size() * 2;
  uint lane = get_sub_group_local_id(), size = get_sub_group_size(), n = get_local_id(0);
  ulong sum = p[get_global_id(0)];
  scratch[n] = scratch[n + 128] = 0;
  first[n] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  v[lane] = sum;
  STEPS
  if (lane == 0) sums[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n == 0) {
    ulong all = 0;
    for (uint k = 0; k < get_num_sub_groups(); k++) all += sums[k];
    for (uint k = 0; k < 128; k++) all -= first[k];
    r[get_group_id(0)] = all;
  }
}

// kernel: in_global_memory
// global: 1024
// local: 128
// arg: in uint 1024 = (i * 7919 + 3) % 1009
// arg: inout uint 2048 = 0 => 0
// arg: out uint 8 => 0
kernel void in_global_memory(global const uint *p, global uint *scratch, global uint *r) {
  local uint sums[128], expected;
  scratch += get_group_id(0) * 256;
  volatile global uint *v = scratch + get_sub_group_id() * get_max_sub_group_size() * 2;
  uint lane = get_sub_group_local_id(), size = get_sub_group_size(), n = get_local_id(0);
  uint sum = p[get_global_id(0)];
  if (n == 0) expected = 0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_add(&expected, sum);
  v[lane] = sum;
  STEPS
  if (lane == 0) sums[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  scratch[n] = scratch[n + 128] = 0;
  if (n == 0) {
    uint all = 0;
    for (uint k = 0; k < get_num_sub_groups(); k++) all += sums[k];
    r[get_group_id(0)] = all - expected;
  }
}
