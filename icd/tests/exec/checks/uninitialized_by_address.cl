
kernel void local_argument(ARGS) {
  l[get_local_id(0)] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l[get_local_id(0) + 1]; // fault
}
kernel void lane_of_local_argument(ARGS) {
  local int2 *pairs = (local int2 *)l;
  pairs[get_local_id(0)].x = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  int2 v = pairs[3 - get_local_id(0)];
  out[get_global_id(0)] = v.x + v.y; // fault
}
kernel void large_local_array(ARGS) {
  // What is kept about it does not fit into local memory.
  local int own[7000];
  own[get_local_id(0) + 6000] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0) + 6001]; // fault
}
