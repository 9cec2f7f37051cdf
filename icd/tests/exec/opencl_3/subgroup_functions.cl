// Functions of sub-groups: each result is compared with one that is computed from the values of all work-items.
// options: -cl-std=CL3.1
// needs: __opencl_c_subgroups
// needs: cl_khr_subgroup_shuffle
#define COMMON \
  local int values[64]; \
  uint item = get_sub_group_local_id(), group = get_sub_group_id(), size = get_sub_group_size(); \
  uint most = get_max_sub_group_size(), first = group * most, wrong = 0; \
  int x = (int)(get_local_id(0) * 37 % 23) - 5; \
  values[first + item] = x; \
  barrier(CLK_LOCAL_MEM_FENCE);

// kernel: moves
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void moves(global uint *out) {
  COMMON
  wrong |= sub_group_shuffle(x, size - 1 - item) != values[first + size - 1 - item];
  int other = sub_group_shuffle_xor(x, 1u);
  if ((item ^ 1) < size) wrong |= (other != values[first + (item ^ 1)]) << 1;
  other = sub_group_shuffle_up(x, 2u);
  if (item >= 2) wrong |= (other != values[first + item - 2]) << 2;
  other = sub_group_shuffle_down(x, 1u);
  if (item + 1 < size) wrong |= (other != values[first + item + 1]) << 3;
  if (size == most) {
    wrong |= (sub_group_rotate(x, 3) != values[first + (item + 3) % size]) << 4;
    wrong |= (sub_group_rotate(x, -1) != values[first + (item + size - 1) % size]) << 5;
    if (most >= 4)
      wrong |= (sub_group_clustered_rotate(x, 1, 4) != values[first + (item & ~3u) + ((item + 1) & 3)]) << 6;
  }
  wrong |= (sub_group_broadcast(x, size - 1) != values[first + size - 1]) << 7;
  int4 v = sub_group_broadcast((int4)(x, 1, 2, item), 0);
  wrong |= any(v != (int4)(values[first], 1, 2, 0)) << 8;
  wrong |= (sub_group_broadcast((char)x, 0) != (char)values[first]) << 9;
  if (item != 0 && size > 1) {
    wrong |= (sub_group_broadcast_first(x) != values[first + 1]) << 10;
    wrong |= (sub_group_non_uniform_broadcast((double)x, 1) != values[first + 1]) << 11;
    wrong |= (sub_group_elect() != (item == 1)) << 12;
  }
  out[get_global_id(0)] = wrong;
}

// kernel: ballots
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void ballots(global uint *out) {
  COMMON
  uint4 mine = sub_group_ballot(x & 1);
  uint count = 0, before = 0, lowest = 999, highest = 999;
  for (uint k = 0; k < size; k++) {
    uint bit = values[first + k] & 1;
    wrong |= sub_group_ballot_bit_extract(mine, k) != bit;
    count += bit;
    before += k < item ? bit : 0;
    if (bit && lowest == 999) lowest = k;
    if (bit) highest = k;
  }
  wrong |= (sub_group_ballot_bit_count(mine) != count) << 1;
  wrong |= (sub_group_ballot_exclusive_scan(mine) != before) << 2;
  wrong |= (sub_group_ballot_inclusive_scan(mine) != before + (x & 1)) << 3;
  if (count) {
    wrong |= (sub_group_ballot_find_lsb(mine) != lowest) << 4;
    wrong |= (sub_group_ballot_find_msb(mine) != highest) << 5;
  }
  wrong |= (sub_group_inverse_ballot(mine) != (x & 1)) << 6;
  wrong |= (sub_group_ballot_bit_count(get_sub_group_eq_mask()) != 1) << 7;
  wrong |= (sub_group_ballot_find_lsb(get_sub_group_eq_mask()) != item) << 8;
  wrong |= (sub_group_ballot_bit_count(get_sub_group_ge_mask()) != most - item) << 9;
  wrong |= (sub_group_ballot_bit_count(get_sub_group_gt_mask()) != most - item - 1) << 10;
  wrong |= (sub_group_ballot_bit_count(get_sub_group_le_mask()) != item + 1) << 11;
  wrong |= (sub_group_ballot_bit_count(get_sub_group_lt_mask()) != item) << 12;
  wrong |= (sub_group_non_uniform_all_equal(7.5f) != 1) << 13;
  if (size > 1) wrong |= (sub_group_non_uniform_all_equal(item) != 0) << 14;
  wrong |= (sub_group_non_uniform_any(item == 0) != 1 || sub_group_non_uniform_all(item < size) != 1) << 15;
  if (item & 1) wrong |= (sub_group_non_uniform_all(item & 1) != 1 || sub_group_non_uniform_any(!(item & 1)) != 0) << 16;
  out[get_global_id(0)] = wrong;
}

// kernel: arithmetic
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void arithmetic(global uint *out) {
  COMMON
  long product = 1; int sum = 0, ands = -1, ors = 0, xors = 0, least = INT_MAX, most_of = INT_MIN, before = 0, ands_before = -1;
  for (uint k = 0; k < size; k++) {
    if (!(k & 1)) continue;
    int v = values[first + k];
    if (k < item) { before += v; ands_before &= v; }
    sum += v; ands &= v; ors |= v; xors ^= v; least = min(least, v); most_of = max(most_of, v); product *= (v & 3) + 1;
  }
  if (item & 1) {
    wrong |= sub_group_non_uniform_reduce_add(x) != sum;
    wrong |= (sub_group_non_uniform_reduce_mul((long)(x & 3) + 1) != product) << 1;
    wrong |= (sub_group_non_uniform_reduce_and(x) != ands) << 2;
    wrong |= (sub_group_non_uniform_reduce_or(x) != ors) << 3;
    wrong |= (sub_group_non_uniform_reduce_xor((short)x) != (short)xors) << 4;
    wrong |= (sub_group_non_uniform_reduce_min((float)x) != (float)least) << 5;
    wrong |= (sub_group_non_uniform_reduce_max((char)x) != (char)most_of) << 6;
    wrong |= (sub_group_non_uniform_scan_exclusive_add(x) != before) << 7;
    wrong |= (sub_group_non_uniform_scan_inclusive_add(x) != before + x) << 8;
    wrong |= (sub_group_non_uniform_scan_exclusive_and(x) != ands_before) << 9;
    wrong |= (sub_group_non_uniform_reduce_logical_and(item == 1) != (size <= 3)) << 10;
    wrong |= (sub_group_non_uniform_reduce_logical_or(item == 1) != 1) << 11;
    wrong |= (sub_group_non_uniform_scan_exclusive_logical_and(0) != (item == 1)) << 12;
    wrong |= (sub_group_non_uniform_scan_inclusive_logical_xor(5) != (((item + 1) / 2) & 1)) << 13;
  }
  if (most >= 4) {
    uint start = item & ~3u;
    int total = 0, top = INT_MIN, all_bits = -1, odd = 0; long times = 1;
    for (uint k = start; k < min(start + 4, size); k++) {
      int v = values[first + k];
      total += v; top = max(top, v); all_bits &= v; odd ^= v & 1; times *= v;
    }
    wrong |= (sub_group_clustered_reduce_add(x, 4) != total) << 14;
    wrong |= (sub_group_clustered_reduce_max((short)x, 4) != (short)top) << 15;
    wrong |= (sub_group_clustered_reduce_and(x, 4) != all_bits) << 16;
    wrong |= (sub_group_clustered_reduce_logical_xor(x & 1, 4) != odd) << 17;
    wrong |= (sub_group_clustered_reduce_mul((double)x, 4) != (double)times) << 18;
    wrong |= (sub_group_clustered_reduce_min(x, 1) != x) << 19;
  }
  wrong |= (sub_group_reduce_add((uchar)1) != (uchar)size) << 20;
  out[get_global_id(0)] = wrong;
}
