// kernel: ids
// global: 12 6
// local: 4 3
// offset: 100 10
// arg: out uint 72 => (i % 12 + 100) + 1000 * (i / 12 + 10)
// arg: out uint 72 => (i % 12) / 4 + 10 * ((i / 12) / 3) + 100 * ((i % 12) % 4) + 1000 * ((i / 12) % 3)
// arg: out uint 12 => i == 0 ? 2 : i == 1 ? 12 : i == 2 ? 6 : i == 3 ? 1 : i == 4 ? 4 : i == 5 ? 3 : i == 6 ? 1 : i == 7 ? 3 : i == 8 ? 2 : i == 9 ? 1 : i == 10 ? 100 : 0
kernel void ids(global uint *a, global uint *b, global uint *c) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  size_t at = y * get_global_size(0) + x;
  a[at] = get_global_id(0) + 1000 * get_global_id(1);
  b[at] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_local_id(0) + 1000 * get_local_id(1);
  if (at == 0) {
    c[0] = get_work_dim();
    for (uint d = 0; d < 3; d++) {
      c[1 + d] = get_global_size(d);
      c[4 + d] = get_local_size(d);
      c[7 + d] = get_num_groups(d);
    }
    c[10] = get_global_offset(0);
    c[11] = get_global_id(5);
  }
}

// Three dimensions with an offset; and sizes that no good work-group divides.
// kernel: three_dimensions
// global: 5 3 7
// offset: 3 20 1
// arg: out uint 105 => 3000000 + (i % 5 + 3) * 10000 + (i / 5 % 3 + 20) * 100 + i / 15 + 1
// arg: out uint 105 => i % 5 + 8 * (i / 5 % 3) + 64 * (i / 15)
// kernel: three_dimensions
// global: 5 3 7
// local: 5 1 7
// offset: 3 20 1
// arg: out uint 105 => 3000000 + (i % 5 + 3) * 10000 + (i / 5 % 3 + 20) * 100 + i / 15 + 1
// arg: out uint 105 => i % 5 + 8 * (i / 5 % 3) + 64 * (i / 15)
kernel void three_dimensions(global uint *ids, global uint *places) {
  uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  uint z = get_global_id(2) - get_global_offset(2);
  uint i = x + get_global_size(0) * (y + get_global_size(1) * z);
  ids[i] = get_work_dim() * 1000000 + get_global_id(0) * 10000 + get_global_id(1) * 100 + get_global_id(2);
  places[i] = get_group_id(0) * get_local_size(0) + get_local_id(0)
    + 8 * (get_group_id(1) * get_local_size(1) + get_local_id(1))
    + 64 * (get_group_id(2) * get_local_size(2) + get_local_id(2));
}

// More work-groups than one dispatch of Vulkan has to take.
// kernel: many_groups
// global: 1 70000
// local: 1 1
// offset: 0 9
// arg: out uint 70000 => 2 * i + 9
kernel void many_groups(global uint *out) {
  out[get_group_id(1)] = get_global_id(1) + get_group_id(1) + (get_num_groups(1) - 70000);
}
