// Indices of type int: sums, differences and products of ints, whose 64-bit addresses are computed from each other because
// such sums do not overflow (C99 6.5, 5); also negative ones, and sums that the program computes only where they fit.

// kernel: stencil
// global: 64
// arg: in int 128 = rnd(i) & 255
// arg: value int = 32
// arg: out int 64 => a0[i + 31] + 2 * a0[i + 32] + 3 * a0[i + 33] + 5 * a0[i + 24] + 7 * a0[95 - i]
kernel void stencil(global const int *in, int start, global int *out) {
  int i = get_global_id(0);
  global const int *middle = in + start;
  out[i] = middle[i - 1] + 2 * middle[i] + 3 * middle[i + 1] + 5 * middle[i - 8] + 7 * middle[-(i - 64) - 1];
}

// kernel: product
// global: 8 16
// arg: in int 256 = rnd(i) & 15
// arg: in int 256 = (rnd(i) >> 8) & 15
// arg: out int 128 => a0[i / 8 * 3] * a1[i % 8] + a0[i / 8 * 3 + 1] * a1[8 + i % 8] + a0[i / 8 * 3 + 2] * a1[16 + i % 8]
// arg: value int = 3
// arg: value int = 8
kernel void product(global const int *a, global const int *b, global int *c, int depth, int width) {
  int column = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int k = 0; k < depth; k++)
    sum += a[row * depth + k] * b[k * width + column];
  c[row * width + column] = sum;
}

// kernel: long_rows
// global: 4
// arg: in int 1024 = i
// arg: out int 4 => 200 * (512 + i) + 4 * 19900
// arg: value int = 200
// arg: value int = 4
kernel void long_rows(global const int *in, global int *out, int count, int stride) {
  int i = get_global_id(0);
  int sum = 0;
  for (int k = 0; k < count; k++)
    sum += in[512 + i + stride * k - 2 * count] + 2 * count;
  out[i] = sum;
}

// kernel: backwards
// global: 16
// arg: in int 64 = 3 * i
// arg: out int 16 => 3 * (10 * (48 + i) - 45)
// arg: value int = 48
kernel void backwards(global const int *in, global int *out, int last) {
  int i = get_global_id(0);
  int sum = 0;
  for (int k = last; k > last - 10; k--)
    sum += in[k + i];
  out[i] = sum;
}

// kernel: excluded
// global: 64
// arg: in int 64 = 5 * i + 1
// arg: out int 64 => i < 32 ? 5 * ((i + 1) % 64) + 1 + 5 * i + 1 : 5 * i + 1
// arg: value int = 67108864
kernel void excluded(global const int *in, global int *out, int factor) {
  int i = get_global_id(0);
  int sum = in[i];
  // From 32 on, the product does not fit into an int.
  if (i < 32)
    sum += in[i * factor / factor + 1];
  out[i] = sum;
}

// kernel: shared
// global: 64
// local: 16
// arg: in int 64 = 7 * i
// arg: out int 64 => 7 * (i / 16 * 16 + (i + 1) % 16) + 7 * (i / 16 * 16 + (i + 15) % 16)
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void shared(global const int *in, global int *out) {
  local int tile[18];
  int i = get_global_id(0), x = get_local_id(0);
  tile[x + 1] = in[i];
  if (x == 0) tile[0] = in[i + 15];
  if (x == 15) tile[17] = in[i - 15];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[x + 2] + tile[x];
}
