// Variables in local and constant memory that are declared in inner blocks exist for the whole kernel.
// kernel: two
// global: 64
// local: 16
// arg: in int 64 = i * 3 + 1
// arg: out int 64 => (a0[i / 16 * 16 + 15 - i % 16] + a0[i / 16 * 16 + (i + 1) % 16]) * (i % 4 + 2)
kernel void two(global const int *in, global int *out) {
  int l = get_local_id(0), g = get_global_id(0), sum = 0;
  if (get_num_groups(0) > 0) {
    local int t[16];
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += t[15 - l];
  }
  {
    local int t[16];
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += t[(l + 1) % 16];
    constant int factor[4] = {2, 3, 4, 5};
    out[g] = sum * factor[l % 4];
  }
}
// kernel: in_loop
// global: 32
// local: 8
// arg: out int 32 => 4 * (i / 8) * 8 + 28 + 4 * 7
kernel void in_loop(global int *out) {
  int l = get_local_id(0), sum = 0;
  for (int n = 0; n < 4; n++) {
    local int one;
    if (l == n)
      one = get_group_id(0) * 8 + 14;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += one;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
