// without: cl_khr_subgroups
kernel void k(global int *p) { *p = sub_group_reduce_add(*p) + get_sub_group_id(); }
