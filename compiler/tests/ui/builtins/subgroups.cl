// Arguments of the functions of sub-groups.
kernel void k(global int *p, global float4 *v) {
  sub_group_reduce_add(v[0]);
  sub_group_all(v[0]);
  sub_group_broadcast(p[0]);
  get_sub_group_id(0);
  sub_group_barrier();
  sub_group_scan_inclusive_mul(p[0]);
  sub_group_reduce_min((short)1);
}
