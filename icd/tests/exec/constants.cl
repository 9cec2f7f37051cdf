constant int table[8] = {5, 3, 1, 7, 11, 13, 2, 9};
constant float scale = 2.5f;
constant char text[] = "caldera";
constant int2 pairs[2] = {(int2)(1, 2), (int2)(3, 4)};

// kernel: lookup
// global: 64
// arg: out int 64 => (i % 8 == 0 ? 5 : i % 8 == 1 ? 3 : i % 8 == 2 ? 1 : i % 8 == 3 ? 7 : i % 8 == 4 ? 11 : i % 8 == 5 ? 13 : i % 8 == 6 ? 2 : 9) + (i % 2 == 0 ? 1 : 4)
// arg: out float 64 => i * 2.5
// arg: out char 64 => i % 8 == 0 ? 99 : i % 8 == 1 ? 97 : i % 8 == 2 ? 108 : i % 8 == 3 ? 100 : i % 8 == 4 ? 101 : i % 8 == 5 ? 114 : i % 8 == 6 ? 97 : 0
kernel void lookup(global int *a, global float *b, global char *c) {
  int i = get_global_id(0);
  a[i] = table[i % 8] + (i % 2 ? pairs[1].y : pairs[0].x);
  b[i] = i * scale;
  c[i] = text[i % 8];
}
// kernel: argument
// global: 16
// arg: in float 16 = i * i
// arg: out float 16 => a0[15 - i] + 1
kernel void argument(constant float *c, global float *out) {
  out[get_global_id(0)] = c[15 - get_global_id(0)] + 1.0f;
}
// The smallest long, written as the negative of a number that no signed type has: compilers with wider integers take it as it is written.
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
