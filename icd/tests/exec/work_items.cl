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
