// Kernels that require sub-groups of four work-items. The results are compared with those that the values of all work-items
// give. All work-items of a sub-group execute each operation.
// options: -cl-std=CL3.1
// needs: __opencl_c_subgroups
// needs: cl_intel_required_subgroup_size
#define SIZE 4
#define FOUR __attribute__((intel_reqd_sub_group_size(SIZE)))
#define COMMON \
  local int values[64]; \
  uint item = get_sub_group_local_id(), group = get_sub_group_id(), first = group * SIZE, wrong = 0; \
  int x = (int)(get_local_linear_id() * 37 % 23) - 5; \
  values[get_local_linear_id()] = x; \
  barrier(CLK_LOCAL_MEM_FENCE);

// kernel: sizes
// global: 16 3
// local: 8 3
// arg: out uint 48 => 0
FOUR kernel void sizes(global uint *out) {
  uint place = get_local_linear_id(), wrong = 0;
  wrong |= get_max_sub_group_size() != SIZE;
  wrong |= (get_sub_group_size() != SIZE) << 1;
  wrong |= (get_num_sub_groups() != 6) << 2;
  wrong |= (get_enqueued_num_sub_groups() != 6) << 3;
  wrong |= (get_sub_group_id() != place / SIZE) << 4;
  wrong |= (get_sub_group_local_id() != place % SIZE) << 5;
  out[get_global_linear_id()] = wrong;
}

// The last sub-group has three work-items.
// kernel: part
// global: 46
// local: 23
// arg: out uint 46 => 0
FOUR kernel void part(global uint *out) {
  COMMON
  uint size = group == 5 ? 3 : SIZE;
  int sum = 0;
  for (uint k = 0; k < size; k++) sum += values[first + k];
  wrong |= get_sub_group_size() != size;
  wrong |= (get_num_sub_groups() != 6) << 1;
  wrong |= (sub_group_reduce_add(x) != sum) << 2;
  wrong |= (sub_group_ballot(1).x != (1u << size) - 1) << 3;
  wrong |= (sub_group_all(1) != 1) << 4;
  out[get_global_id(0)] = wrong;
}

// kernel: joined
// global: 48
// local: 24
// arg: out uint 48 => 0
FOUR kernel void joined(global uint *out) {
  COMMON
  int sum = 0, before = 0, least = INT_MAX, most = INT_MIN, most_before = INT_MIN, bits = 0;
  long product = 1;
  for (uint k = 0; k < SIZE; k++) {
    int v = values[first + k];
    if (k < item) { before += v; most_before = max(most_before, v); }
    sum += v; least = min(least, v); most = max(most, v); bits ^= v; product *= v;
  }
  wrong |= sub_group_reduce_add(x) != sum;
  wrong |= (sub_group_scan_inclusive_add((float)x) != (float)(before + x)) << 1;
  wrong |= (sub_group_scan_exclusive_add((long)x) != before) << 2;
  wrong |= (sub_group_reduce_min((double)x) != (double)least) << 3;
  wrong |= (sub_group_reduce_max((float)x) != (float)most) << 4;
  wrong |= (sub_group_scan_inclusive_max((short)x) != max(most_before, x)) << 5;
  wrong |= (sub_group_scan_exclusive_max(x) != most_before) << 6;
  wrong |= (sub_group_scan_exclusive_min((float)x) != INFINITY && item == 0) << 7;
  wrong |= (sub_group_non_uniform_reduce_xor((char)x) != (char)bits) << 8;
  wrong |= (sub_group_non_uniform_reduce_mul((long)x) != product) << 9;
  wrong |= (sub_group_non_uniform_scan_exclusive_and(-1) != -1) << 10;
  wrong |= (sub_group_reduce_max((uchar)(x & 255)) < (uchar)(x & 255)) << 11;
  out[get_global_id(0)] = wrong;
}

// kernel: moved
// global: 48
// local: 24
// arg: out uint 48 => 0
FOUR kernel void moved(global uint *out) {
  COMMON
  wrong |= sub_group_broadcast(x, 2) != values[first + 2];
  wrong |= any(sub_group_broadcast((int4)(x, item, 1, 2), 3) != (int4)(values[first + 3], 3, 1, 2)) << 1;
  wrong |= (sub_group_shuffle(x, 3 - item) != values[first + 3 - item]) << 2;
  wrong |= (sub_group_shuffle_xor((double)x, 3) != values[first + (item ^ 3)]) << 3;
  wrong |= (sub_group_rotate(x, 1) != values[first + (item + 1) % SIZE]) << 4;
  wrong |= (sub_group_clustered_reduce_add(x, 2) != values[first + (item & 2)] + values[first + (item | 1)]) << 5;
  uint odd = 0, count = 0;
  for (uint k = 0; k < SIZE; k++) odd |= (values[first + k] & 1) << k;
  uint4 bits = sub_group_ballot(x & 1);
  wrong |= any(bits != (uint4)(odd, 0, 0, 0)) << 6;
  wrong |= (sub_group_ballot_bit_count(bits) != popcount(odd)) << 7;
  wrong |= (sub_group_inverse_ballot(bits) != (x & 1)) << 8;
  wrong |= (sub_group_any(x & 1) != (odd != 0)) << 9;
  wrong |= (sub_group_all(x & 1) != (odd == 15)) << 10;
  wrong |= (sub_group_elect() != (item == 0)) << 11;
  wrong |= any(get_sub_group_lt_mask() != (uint4)((1u << item) - 1, 0, 0, 0)) << 12;
  wrong |= any(get_sub_group_ge_mask() != (uint4)(15u & ~((1u << item) - 1), 0, 0, 0)) << 13;
  out[get_global_id(0)] = wrong;
}

// A kernel without sub-groups, beside kernels with them.
// kernel: alone
// global: 8
// local: 8
// arg: out uint 8 => i
FOUR kernel void alone(global uint *out) { out[get_global_id(0)] = get_global_id(0); }
