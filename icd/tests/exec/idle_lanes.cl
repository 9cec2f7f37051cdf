// Loops that end because of values in memory, in work-groups whose size in the first dimension is no multiple of
// eight: a driver with vectors of eight lanes must not let the lanes without a work-item stay in such loops.
// kernel: never_entered
// global: 12
// local: 4
// arg: out int 12 => 13
// arg: out int 24 => i % 2 == 0 ? 13 : 20
// kernel: never_entered
// global: 5
// local: 1
// arg: out int 5 => 13
// arg: out int 10 => i % 2 == 0 ? 13 : 20
// kernel: never_entered
// global: 3 9
// local: 1 9
// arg: out int 27 => 13
// arg: out int 54 => i % 2 == 0 ? 13 : 20
// kernel: never_entered
// global: 18 2
// local: 9 2
// arg: out int 36 => 13
// arg: out int 72 => i % 2 == 0 ? 13 : 20
// kernel: never_entered
// global: 3 5 2
// local: 3 5 2
// arg: out int 30 => 13
// arg: out int 60 => i % 2 == 0 ? 13 : 20
// kernel: never_entered
// global: 16
// local: 8
// arg: out int 16 => 13
// arg: out int 32 => i % 2 == 0 ? 13 : 20
// kernel: never_entered
// global: 45 3
// local: 45 3
// arg: out int 135 => 13
// arg: out int 270 => i % 2 == 0 ? 13 : 20
kernel void never_entered(global int *out, volatile global int *state) {
  int i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  int count = 0;
  for (state[2 * i] = 0; state[2 * i] != 13; ++state[2 * i]) {
    for (state[2 * i + 1] = 20; state[2 * i + 1] <= 8;)
      out[i] = -1;
    count++;
  }
  out[i] = count;
}
// kernel: in_a_large_array
// global: 12
// local: 4
// arg: out int 12 => 100 * 10 + 3
// arg: value int = 7
// kernel: in_a_large_array
// global: 5
// local: 1
// arg: out int 5 => 100 * 10 + 3
// arg: value int = 7
// kernel: in_a_large_array
// global: 9 2
// local: 9 2
// arg: out int 18 => 100 * 10 + 3
// arg: value int = 7
kernel void in_a_large_array(global int *out, int k) {
  int i = get_global_id(0) + get_global_size(0) * get_global_id(1);
  int state[400], count = 0;
  for (int j = 0; j < 400; j++)
    state[j * k % 400] = j;
  for (state[k] = 0; state[k] != 10; state[k]++) {
    for (state[k + 1] = 20; state[k + 1] <= 8;)
      state[state[k + 2] % 400] = k;
    count += 100;
  }
  for (int j = 0; j < state[k] - k; j++)
    count++;
  out[i] = count;
}
// kernel: left_by_return
// global: 12
// local: 4
// arg: out int 12 => 20 + i
// arg: out int 12 => 20 + i
// kernel: left_by_return
// global: 5
// local: 1
// arg: out int 5 => 20 + i
// arg: out int 5 => 20 + i
// kernel: left_by_return
// global: 18
// local: 9
// arg: out int 18 => 20 + i
// arg: out int 18 => 20 + i
kernel void left_by_return(global int *out, volatile global int *state) {
  int i = get_global_id(0);
  state[i] = 20;
  for (;;) {
    while (state[i] < 20)
      out[i] = -1;
    out[i] = state[i];
    if (state[i] == 20 + i)
      return;
    state[i]++;
  }
}
// kernel: in_local_memory
// global: 12
// local: 4
// arg: out int 12 => 30
// arg: local 32
// kernel: in_local_memory
// global: 5
// local: 1
// arg: out int 5 => 30
// arg: local 8
// kernel: in_local_memory
// global: 18
// local: 9
// arg: out int 18 => 30
// arg: local 72
kernel void in_local_memory(global int *out, volatile local int *state) {
  int i = get_local_id(0), count = 0;
  for (state[2 * i] = 0; state[2 * i] != 30; ++state[2 * i]) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (state[2 * i + 1] = 20; state[2 * i + 1] <= 8;)
      out[i] = -1;
    count++;
  }
  out[get_global_id(0)] = count;
}
