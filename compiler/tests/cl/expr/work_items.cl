// Work-item functions with constant, run-time and out-of-range dimensions.
__kernel void work_items(__global long* out, int d) {
  size_t g = get_global_id(0) + get_global_id(1) * get_global_size(0);
  long r = get_global_id(d) + 10 * get_local_id(d) + 100 * get_group_id(d);
  r = r * 7 + get_global_size(d) * 3 + get_local_size(d) * 5 + get_num_groups(d);
  r = r * 11 + get_work_dim() + get_global_offset(d) + get_global_size(3) + get_local_id(7) + get_num_groups(d + 5);
  out[g] = r * 13 + get_global_id(1) * 2 + get_group_id(1);
}
