// The work-item functions with a dimension that is not constant: those of 3 and more have values, too (OpenCL C 1.2, 6.12.1).
// The first work-item in each row of the NDRange stores what the functions of the dimension `d[row]` return.
// kernel: of_any_dimension
// global: 4 9 2
// local: 2 3 2
// offset: 7 0 5
// arg: in uint 9 = [0, 1, 2, 3, 4, 7, 8, 255, 4294967295]
// arg: out uint 9 => i == 0 ? 7 : i == 1 ? 1 : i == 2 ? 5 : 0
// arg: out uint 9 => i == 1 ? 1 : 0
// arg: out uint 9 => 0
// arg: out uint 9 => i == 0 ? 7 : i == 2 ? 5 : 0
// arg: out uint 9 => i == 0 ? 4 : i == 1 ? 9 : i == 2 ? 2 : 1
// arg: out uint 9 => i == 0 ? 2 : i == 1 ? 3 : i == 2 ? 2 : 1
// arg: out uint 9 => i == 0 ? 2 : i == 1 ? 3 : 1
kernel void of_any_dimension(global const uint *d, global uint *id, global uint *local_id, global uint *group,
                             global uint *offset, global uint *size, global uint *local_size, global uint *groups) {
  uint row = get_global_id(1), dim = d[row];
  if (get_global_id(0) != get_global_offset(0) || get_global_id(2) != get_global_offset(2))
    return;
  id[row] = get_global_id(dim);
  local_id[row] = get_local_id(dim);
  group[row] = get_group_id(dim);
  offset[row] = get_global_offset(dim);
  size[row] = get_global_size(dim);
  local_size[row] = get_local_size(dim);
  groups[row] = get_num_groups(dim);
}

// The vector is loaded once and outside of the loop where a compiler takes the functions for values.
// kernel: sums_over_dimensions
// global: 6
// local: 3
// arg: value uint = 5
// arg: out uint 6 => i + 6 + 4 + 1000 * (i % 3) + 100000 * (i / 3)
kernel void sums_over_dimensions(uint dims, global uint *out) {
  uint sum = 0;
  for (uint d = 0; d < dims; d++)
    sum += get_global_id(d) + get_global_size(d) + 1000 * get_local_id(d) + 100000 * get_group_id(d);
  out[get_global_id(0)] = sum;
}

// kernel: of_dimension_3
// global: 4
// arg: out uint 4 => 3
kernel void of_dimension_3(global uint *out) {
  out[get_global_id(0)] = get_global_id(3) + get_local_id(3) + get_group_id(3) + get_global_offset(3) +
                          get_global_size(3) * get_local_size(3) + 2 * get_num_groups(3);
}
