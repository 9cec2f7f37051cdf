kernel void global_stores(ARGS) {
  out[get_global_id(0) / 2] = get_global_id(0); // fault
}
kernel void global_counter(ARGS) {
  out[3] += 1; // fault
}
kernel void local_fence_for_global_memory(ARGS) {
  int i = get_local_id(0), kept;
  for (int k = 0; k < 2; k++, barrier(CLK_LOCAL_MEM_FENCE))
    if (k == 0) kept = n; else out[i] = out[i ^ 1] + kept; // fault
}
kernel void global_fields(ARGS) {
  global struct pair *pairs = (global struct pair *)out;
  pairs[get_local_id(0) >> 1].second = get_local_id(0); // fault
}
kernel void global_bytes(ARGS) {
  ((global char *)out)[get_local_id(0) % 3] = get_local_id(0); // fault
}
kernel void local_argument(ARGS) {
  int i = get_local_id(0);
  l[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  l[i] = l[i ^ 1] + i; // fault
}
kernel void atomic_and_plain(ARGS) {
  if (get_local_id(0) == 0) l[0] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) l[0] = 0; else atomic_inc(l); // fault
}
kernel void async_copies(ARGS) {
  event_t done = async_work_group_copy(l + 1, in, 3, 0);
  wait_group_events(1, &done);
  l[1] = l[1 + (get_local_id(0) & 1)]; // fault
}
kernel void large_local_array(ARGS) {
  // Nothing that is kept about it fits into local memory.
  local int own[7000];
  own[get_local_id(0) / 2 + 6000] = get_local_id(0); // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0) / 2 + 6000];
}
kernel void large_array_beside_a_small_one(ARGS) {
  local int small[4];
  local char own[20000];
  int i = get_local_id(0);
  small[i] = i;
  own[i + 19000] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  own[i + 19000] = own[(i ^ 1) + 19000]; // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[i + 19000] + small[i ^ 1];
}
kernel void store_before_a_copy(ARGS) {
  l[get_local_id(0)] = 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = 7;
  event_t done = async_work_group_copy(out, l, 4, 0); // fault
  wait_group_events(1, &done);
}
kernel void load_before_the_wait(ARGS) {
  event_t done = async_work_group_copy(l, in, 4, 0);
  out[get_global_id(0)] = l[get_local_id(0)]; // fault
  wait_group_events(1, &done);
}
