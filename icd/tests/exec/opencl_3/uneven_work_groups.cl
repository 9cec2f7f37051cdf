// Work-groups of different sizes (OpenCL C 3.0, 6.13): those at the end of a dimension are smaller.
// options: -cl-std=CL3.0

// kernel: one_dimension
// global: 21
// local: 8
// offset: 3
// arg: out uint 21 => i / 8
// arg: out uint 21 => i < 16 ? 8 : 5
// arg: out uint 21 => i % 8
// arg: out uint 21 => i < 16 ? 36 : 15
// arg: out uint 4 => [21, 8, 3, 3]
kernel void one_dimension(global uint *group, global uint *size, global uint *local_id, global uint *sums,
                          global uint *sizes) {
  local uint sum;
  size_t i = get_global_id(0) - get_global_offset(0);
  group[i] = get_group_id(0);
  size[i] = get_local_size(0);
  local_id[i] = get_local_id(0);
  if (get_local_id(0) == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, (uint)get_local_id(0) + 1);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  sums[i] = sum;
  if (i == 20) {
    sizes[0] = get_global_size(0); sizes[1] = get_enqueued_local_size(0); sizes[2] = get_num_groups(0);
    sizes[3] = get_global_offset(0);
  }
}

// kernel: three_dimensions
// global: 5 7 3
// local: 2 3 2
// arg: out uint 105 => ((i / 35) / 2 * 3 + (i / 5 % 7) / 3) * 3 + (i % 5) / 2
// arg: out uint 105 => (i % 5 < 4 ? 2 : 1) * 100 + (i / 5 % 7 < 6 ? 3 : 1) * 10 + (i / 35 < 2 ? 2 : 1)
// arg: out uint 105 => (i % 5) % 2 + (i % 5 < 4 ? 2 : 1) * ((i / 5 % 7) % 3 + (i / 5 % 7 < 6 ? 3 : 1) * ((i / 35) % 2))
kernel void three_dimensions(global uint *group, global uint *size, global uint *linear) {
  size_t i = get_global_linear_id();
  group[i] = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
  size[i] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_local_size(2);
  linear[i] = get_local_linear_id();
}

// kernel: smaller_than_one
// global: 5 3
// local: 8 2
// arg: out uint 15 => (i / 5 < 2 ? 528 : 518)
kernel void smaller_than_one(global uint *out) {
  out[get_global_linear_id()] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_enqueued_local_size(0);
}

// kernel: collective
// global: 19
// local: 8
// needs: __opencl_c_work_group_collective_functions
// arg: out int 19 => i < 8 ? 28 : i < 16 ? 92 : 51
// arg: out int 19 => [0, 1, 3, 6, 10, 15, 21, 28, 8, 17, 27, 38, 50, 63, 77, 92, 16, 33, 51]
kernel void collective(global int *sum, global int *scan) {
  int i = get_global_id(0);
  sum[i] = work_group_reduce_add(i);
  scan[i] = work_group_scan_inclusive_add(i);
}

// kernel: required
// global: 19 3
// local: 8 2
// arg: out uint 57 => (i % 19 < 16 ? 8 : 3) * 100 + (i / 19 < 2 ? 2 : 1) * 10 + 8
// arg: out uint 57 => (i % 19 % 8) + (i / 19 % 2) * (i % 19 < 16 ? 8 : 3)
// kernel: required
// global: 5 1
// local: 8 2
// arg: out uint 5 => 518
// arg: out uint 5 => i
__attribute__((reqd_work_group_size(8, 2, 1))) kernel void required(global uint *size, global uint *linear) {
  local uint all[16];
  size_t i = get_global_linear_id();
  all[get_local_linear_id()] = get_local_linear_id();
  barrier(CLK_LOCAL_MEM_FENCE);
  size[i] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_enqueued_local_size(0);
  linear[i] = all[get_local_linear_id()];
}
