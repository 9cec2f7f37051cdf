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
  l[i] = l[i ^ 1] + i; // fault
}
kernel void atomic_and_plain(ARGS) {
  if (get_local_id(0) == 0) l[0] = 0; else atomic_inc(l); // fault
}
kernel void async_copies(ARGS) {
  event_t done = async_work_group_copy(l + 1, in, 3, 0);
  wait_group_events(1, &done);
  l[1] = l[1 + (get_local_id(0) & 1)]; // fault
}
