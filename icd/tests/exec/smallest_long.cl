// The smallest long, written as the negation of 9223372036854775808, which no signed type can represent. It has the value
// that a compiler with wider integers computes.
constant long smallest[3] = {-9223372036854775808, -9223372036854775808L, -(9223372036854775808)};
constant long smallest_in_table[4] = {1, -9223372036854775808, -9223372036854775807, 9223372036854775807};

// kernel: smallest_longs
// global: 8
// arg: in float 8 = [-1, 1.5, 2000, -7.8, 0, -1e30, 1e30, 9e18]
// arg: in long 8 = [-1, 1, 0, 7, -7, 42, -42, 5]
// arg: out int 8 => [0, 0, 0, 0, 0, 1, 0, 0]
// arg: out int 8 => i == 6 ? 3 : i == 5 ? 1 : 2
// arg: out long 8 => i < 4 ? -9223372036854775807 - 1 : [0, 0, 0, 0, 1, -9223372036854775807 - 1, -9223372036854775807, 9223372036854775807]
kernel void smallest_longs(global const float *f, global const long *l, global int *below, global int *range, global long *values) {
  int i = get_global_id(0);
  below[i] = f[i] < -9223372036854775808;
  range[i] = f[i] > 9223372036854775807 ? 3 : f[i] < (-9223372036854775808) ? 1 : l[i] < -9223372036854775808 ? 4 : 2;
  values[i] = i < 3 ? smallest[i] : i == 3 ? -9223372036854775808 : smallest_in_table[i - 4];
}
