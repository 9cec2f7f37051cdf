// options: -cl-std=CL3.0
// device: 3.1
// without: cl_khr_work_group_uniform_arithmetic
kernel void k(global int *o) {
  o[0] = work_group_reduce_add(1);
  o[1] = work_group_reduce_mul(1);
  o[2] = work_group_scan_inclusive_logical_or(1);
}
