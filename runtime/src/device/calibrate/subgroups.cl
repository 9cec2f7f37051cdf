// Each work-item writes where it is among the sub-groups of its work-group, and what it gets from its own one.
kernel void sub_groups(global uint *out) {
  uint n = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
  out += 4 * n;
  out[0] = get_sub_group_id();
  out[1] = get_sub_group_local_id();
  out[2] = sub_group_broadcast(n, 0);
  out[3] = sub_group_reduce_add(n);
}
