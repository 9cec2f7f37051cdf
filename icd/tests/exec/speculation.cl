// Loads that are moved or merged: those under conditions, those of local memory, and those over stores to local memory.
// Unrolled conditions whose loads are outside of the buffer where they are false; the other arm has a value of its own.
// kernel: beyond_edges
// global: 20
// arg: in float 20 = i * 3 + 1
// arg: in float 5 = i + 1
// arg: out float 20 => (i < 2 ? -1 : (i - 2) * 3 + 1) + 2 * (i < 1 ? -1 : (i - 1) * 3 + 1) + 3 * (i * 3 + 1) + 4 * (i > 18 ? -1 : (i + 1) * 3 + 1) + 5 * (i > 17 ? -1 : (i + 2) * 3 + 1)
// arg: value int = 20
// arg: value int = 1
kernel void beyond_edges(global const float *restrict in, global const float *restrict weights, global float *out, int n, int rows) {
  int i = get_global_id(0);
  float sum = 0;
  for (int r = 0; r < rows; r++) {
    sum += weights[r] - 1;
    #pragma unroll
    for (int k = -2; k <= 2; k++) {
      float v = -1;
      if (i + k >= 0 && i + k < n) v = in[i + k];
      sum += v * weights[k + 2];
    }
  }
  out[i] = sum;
}
// A loop with a load of its own beside one under a condition, whose address may not exist; the arm with the load is the
// second.
// kernel: triangle
// global: 9
// arg: in int 81 = rnd(i) % 100
// arg: in int 9 = i + 1
// arg: out int 9 => (i >= 0 ? a0[i * 9] : 0) + (i >= 1 ? 2 * a0[i * 9 + 1] : 0) + (i >= 2 ? 3 * a0[i * 9 + 2] : 0) + (i >= 3 ? 4 * a0[i * 9 + 3] : 0) + (i >= 4 ? 5 * a0[i * 9 + 4] : 0) + (i >= 5 ? 6 * a0[i * 9 + 5] : 0) + (i >= 6 ? 7 * a0[i * 9 + 6] : 0) + (i >= 7 ? 8 * a0[i * 9 + 7] : 0) + (i >= 8 ? 9 * a0[i * 9 + 8] : 0)
// arg: value int = 9
kernel void triangle(global const int *restrict a, global const int *restrict x, global int *out, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < n; k++) {
    int v;
    if (k > i) v = 0;
    else v = a[k > i ? 1 << 28 : i * 9 + k];
    sum += v * x[k];
  }
  out[i] = sum;
}
// Rows of 17 floats and of 16, loaded by neighbours, after stores one by one; an argument in local memory at the end.
// kernel: rows
// global: 16
// local: 16
// arg: in float 16 = i + 1
// arg: out float 16 => (i + 1) * 136 + 1360 + i * 4 + 10
// arg: local 64
kernel void rows(global const float *in, global float *out, local float *spare) {
  local float padded[3][17], plain[2][16];
  int i = get_local_id(0);
  for (int r = 0; r < 3; r++) padded[r][i] = in[i] * (r == 1 ? 1 : 0);
  for (int r = 0; r < 2; r++) plain[r][i] = in[i] * 10 * r;
  spare[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  float a = 0, b = 0;
  for (int k = 0; k < 16; k++) a += padded[1][k];
  for (int k = 0; k < 16; k++) b += plain[1][k];
  spare += i / 4 * 4;
  float c = spare[0] + spare[1] + spare[2] + spare[3] - i / 4 * 16 + 4;
  out[i] = (i + 1) * a + b + c + i * 4;
}
// One work-item copies to local memory in a loop that also reads it; then all add up.
// kernel: copied
// global: 8
// local: 8
// arg: in int 100 = i * i
// arg: out int 8 => 328350 + 99 * 7
// arg: value int = 100
kernel void copied(global const int *in, global int *out, int n) {
  local int l[101];
  if (get_local_id(0) == 0) {
    l[0] = 0;
    for (int k = 0; k < n; k++) l[k + 1] = in[k] + (l[k] * 0 + (k > 0 ? 7 : 0));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int k = 0; k < n; k++) sum += l[k + 1];
  out[get_local_id(0)] = sum;
}
// Loads inside of a band, outside of which their addresses do not exist: in the first arm, and in the second one.
// kernel: banded
// global: 8
// arg: in int 24 = rnd(i) % 100
// arg: in int 8 = i + 1
// arg: out int 8 => (i >= 1 ? a0[i * 3 - 1] * i : 0) + a0[i * 3 + 1] * (i + 1) + (i < 7 ? a0[i * 3 + 3] * (i + 2) : 0) + 5 * (36 - (i >= 1 ? i : 0) - (i + 1) - (i < 7 ? i + 2 : 0))
// arg: value int = 8
// arg: value int = 1
// arg: value int = 1
kernel void banded(global const int *restrict a, global const int *restrict x, global int *out, int n, int kl, int ku) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < n; k += 4) {
    #pragma unroll
    for (int u = 0; u < 4; u++) {
      int y = k + u, v = 5;
      if (i >= y - ku && i < y + kl + 1) v = a[(kl + ku + 1) * y + ku - y + i];
      sum += v * x[y];
    }
  }
  out[i] = sum;
}
// The same in the other arm, with a limit that is known, and conditions and addresses that depend on the loads before.
// kernel: followed
// global: 16
// arg: in int 16 = (i * 5 + 3) % 16
// arg: in int 16 = i + 1
// arg: out int 16 => i < 15 ? (i * 5 + 3) % 16 + (i * 5 + 8) % 16 : (i * 5 + 3) % 16
// arg: value int = 16
kernel void followed(global const int *restrict a, global const int *restrict x, global int *out, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < n; k += 2) {
    int v = 0, w = 0, s = x[k] + x[k + 1] - 2 * k - 3;
    if (k < i || k > i + 1 || k >= n) v = 0;
    else v = a[k < i ? 1 << 28 : i + s + (k - i) % 2];
    if (k + 1 >= i + s * v && k + 1 <= i + 1) w = a[k + 1 - i + i + s * v];
    sum += v + w;
  }
  out[i] = sum;
}
