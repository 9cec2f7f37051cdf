// Functions of OpenCL C 2.0 and 3.0 in a program of version 1.2, which has no atomic types either.
kernel void k(global int *p) {
  atomic_fetch_add((volatile global int *)p, 1);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  p[0] = get_global_linear_id() + work_group_reduce_add(1);
}
kernel void types(global atomic_int *p) { }
