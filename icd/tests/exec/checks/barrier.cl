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
