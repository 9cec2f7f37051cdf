// The sub-groups of work-groups with several dimensions, also of smaller ones at the ends of the range: their ids are dense, each
// work-item is in one of them, all but the last have the same size, and their functions act on their own work-items.
// options: -cl-std=CL3.1
// needs: __opencl_c_subgroups
// needs: cl_khr_subgroup_shuffle
#define MOST 128
#define COMMON \
  local uint ids[MOST], items[MOST]; \
  local int values[MOST]; \
  uint n = get_local_linear_id(), all = get_local_size(0) * get_local_size(1) * get_local_size(2), wrong = 0; \
  uint id = get_sub_group_id(), item = get_sub_group_local_id(), size = get_sub_group_size(); \
  int x = (int)(n * 37 % 23) - 5; \
  ids[n] = id; \
  items[n] = item; \
  values[n] = x; \
  barrier(CLK_LOCAL_MEM_FENCE);
#define CHECK \
  uint count = 0, same = 0, firsts = 0, in_first = 0, here = 0; \
  int sum = 0, before = 0, last = 0, largest = INT_MIN; \
  for (uint k = 0; k < all; k++) { \
    in_first += ids[k] == 0; \
    here += ids[k] == n; \
    if (ids[k] != id) continue; \
    count++; \
    same += items[k] == item; \
    firsts += items[k] == 0; \
    sum += values[k]; \
    largest = max(largest, values[k]); \
    if (items[k] < item) before += values[k]; \
    if (items[k] == size - 1) last = values[k]; \
  } \
  wrong |= id >= get_num_sub_groups(); \
  wrong |= (n < get_num_sub_groups() && here == 0) << 1; \
  wrong |= (count != size || item >= size || same != 1 || firsts != 1) << 2; \
  wrong |= (id + 1 < get_num_sub_groups() ? count != in_first : count > in_first) << 3; \
  wrong |= (size > get_max_sub_group_size()) << 4; \
  wrong |= (sub_group_reduce_add(x) != sum) << 5; \
  wrong |= (sub_group_scan_exclusive_add(x) != before) << 6; \
  wrong |= (sub_group_reduce_max((float)x) != (float)largest) << 7; \
  wrong |= (sub_group_broadcast(x, size - 1) != last) << 8; \
  wrong |= (sub_group_shuffle(x, size - 1) != last) << 9; \
  wrong |= (sub_group_ballot_bit_count(sub_group_ballot(1)) != size) << 10; \
  wrong |= (sub_group_any(id != sub_group_broadcast(id, 0))) << 11; \
  wrong |= (get_enqueued_num_sub_groups() < get_num_sub_groups()) << 12; \
  wrong |= (work_group_reduce_add(1u) != all) << 13; \
  out[get_global_linear_id()] = wrong;

// kernel: shapes
// global: 6 6
// local: 3 3
// arg: out uint 36 => 0
// kernel: shapes
// global: 10 6 4
// local: 5 3 2
// arg: out uint 240 => 0
// kernel: shapes
// global: 7 18
// local: 7 9
// arg: out uint 126 => 0
// kernel: shapes
// global: 8 6
// local: 8 3
// arg: out uint 48 => 0
// kernel: shapes
// global: 2 16
// local: 1 16
// arg: out uint 32 => 0
// kernel: shapes
// global: 32 2
// local: 16 1
// arg: out uint 64 => 0
// kernel: shapes
// global: 3 2 5
// local: 3 1 5
// arg: out uint 30 => 0
// Smaller work-groups at the ends.
// kernel: shapes
// global: 10 7
// local: 4 3
// arg: out uint 70 => 0
// kernel: shapes
// global: 20 5 3
// local: 8 3 2
// arg: out uint 300 => 0
// kernel: shapes
// global: 13
// local: 9
// arg: out uint 13 => 0
kernel void shapes(global uint *out) { COMMON CHECK }

// kernel: fours
// global: 6 6
// local: 3 3
// arg: out uint 36 => 0
// kernel: fours
// global: 10 7
// local: 5 3
// arg: out uint 70 => 0
// kernel: fours
// global: 4 3 5
// local: 1 3 5
// arg: out uint 60 => 0
__attribute__((intel_reqd_sub_group_size(4))) kernel void fours(global uint *out) {
  COMMON
  wrong |= (get_max_sub_group_size() != 4) << 14;
  CHECK
}

// kernel: nines
// global: 6 6
// local: 3 3
// arg: out uint 36 => 0
__attribute__((reqd_work_group_size(3, 3, 1))) kernel void nines(global uint *out) { COMMON CHECK }
