// Each kernel has one fault, in the line that says so. The test launches them with 4 work-items in one work-group:
// `out` and `in` have 16 elements, in[i] is i, `c` and `l` have 8, and n is 16.

#define ARGS global int *out, global const int *in, constant int *c, local int *l, int n
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

void sync_below(int i, int end) {
  if (i < end)
    barrier(CLK_GLOBAL_MEM_FENCE); // fault of in_function
}

kernel void in_condition(ARGS) {
  int i = get_local_id(0);
  if (i < 2)
    barrier(CLK_LOCAL_MEM_FENCE); // fault
  out[i] = n;
}
kernel void in_other_branch(ARGS) {
  int i = get_local_id(0);
  if (i == 3)
    out[i] = 1;
  else
    barrier(CLK_LOCAL_MEM_FENCE); // fault
}
kernel void after_return(ARGS) {
  int i = get_global_id(0);
  if (in[i] > 2) return;
  barrier(CLK_GLOBAL_MEM_FENCE); // fault
  out[i] = i;
}
kernel void in_loop(ARGS) {
  int i = get_local_id(0);
  for (int k = 0; k <= i; k++)
    barrier(CLK_LOCAL_MEM_FENCE); // fault
  out[i] = i;
}
kernel void after_break(ARGS) {
  int i = get_local_id(0);
  for (int k = 0; k < 4; k++) {
    if (in[i] == k) break;
    barrier(CLK_LOCAL_MEM_FENCE); // fault
  }
  out[i] = i;
}
kernel void after_continue(ARGS) {
  int i = get_local_id(0);
  for (int k = 0; k < 4; k++) {
    if (in[i] == 2) continue;
    barrier(CLK_LOCAL_MEM_FENCE); // fault
  }
  out[i] = i;
}
kernel void in_switch(ARGS) {
  int i = get_local_id(0);
  switch (in[i]) {
  case 0: out[i] = 1; break;
  default:
    barrier(CLK_LOCAL_MEM_FENCE); // fault
  }
}
kernel void in_function(ARGS) {
  sync_below(get_local_id(0), 3);
  out[get_global_id(0)] = 1;
}
kernel void in_macro(ARGS) {
  int i = get_local_id(0);
  if (in[i] & 1)
    SYNC; // fault
  out[i] = 1;
}
kernel void copy_not_waited_for(ARGS) {
  event_t e = async_work_group_copy(l, in, 4, 0); // fault
  out[get_global_id(0)] = n;
}
kernel void one_of_two_copies(ARGS) {
  event_t e[2];
  e[0] = async_work_group_copy(l, in, 4, 0);
  e[1] = async_work_group_strided_copy(l + 4, in, 4, 2, 0); // fault
  wait_group_events(1, e);
  out[get_global_id(0)] = n;
}
kernel void different_sizes(ARGS) {
  event_t e = async_work_group_copy(l, in, get_local_id(0) == 3 ? 1 : 4, 0); // fault
  wait_group_events(1, &e);
}
kernel void different_destinations(ARGS) {
  event_t e = async_work_group_copy(l + 4 * (get_local_id(0) & 1), in, 4, 0); // fault
  wait_group_events(1, &e);
}
kernel void copy_of_one_item(ARGS) {
  event_t e = async_work_group_copy(l, in, 4, 0);
  if (get_local_id(0) == 2)
    e = async_work_group_copy(l + 4, in, 1, e); // fault
  wait_group_events(1, &e);
}
kernel void no_event(ARGS) {
  event_t e = 0;
  wait_group_events(1, &e); // fault
}
kernel void other_event_of_each(ARGS) {
  event_t e[2];
  e[0] = async_work_group_copy(l, in, 4, 0);
  wait_group_events(1, e);
  e[0] = async_work_group_copy(l, in, 1, 0); // fault
  e[1] = async_work_group_copy(l + 1, in, 1, 0); wait_group_events(1 + (get_local_id(0) < 2), e + 1 - (get_local_id(0) < 2));
}
