// kernel: hints
// global: 40
// arg: in int 64 = rnd(i) % 100
// arg: out int 40 => a0[0] * (i > 0) + a0[1] * (i > 1) + a0[2] * (i > 2) + a0[3] * (i > 3) + a0[4] * (i > 4) + 3 * i + 45
kernel void hints(global const int *in, global int *out) {
  int n = get_global_id(0), sum = 0;
  __attribute__((opencl_unroll_hint(2))) for (int k = 0; k < n && k < 5; k++) sum += in[k];
  #pragma unroll 4
  for (int k = 0; k < n; k++) { if (k % 2) { sum += 4; continue; } sum += 2; }
  #pragma unroll
  for (int k = 0; k < 10; k++) sum += k;
  if (n % 2) sum += 1;
  out[n] = sum;
}
// kernel: private_array
// global: 32
// arg: in float 32 = i
// arg: out float 32 => 8 * i + 28 + (i % 4 == 3 ? 1000 : 0)
kernel void private_array(global const float *in, global float *out) {
  int n = get_global_id(0);
  float a[8], sum = 0;
  for (int k = 0; k < 8; k++) a[k] = in[n] + k;
  for (int k = 7; k >= 0; k--) {
    sum += a[k];
    if (k == n % 4 && k == 3) sum += 1000;
  }
  out[n] = sum;
}
// kernel: same_buffer
// global: 1
// arg: inout int 8 = i => i == 0 ? 0 : (2 << i) - 1
// arg: value int = 8
kernel void same_buffer(global int *p, int n) {
  global int *q = p;
  if (n > 100) q = p + 1;
  for (int k = 1; k < n; k++) {
    p[0] = k;
    q[k] = 2 * p[k - 1] + (q[0] == k);
    p[0] = 0;
  }
}
// kernel: widths
// global: 64
// arg: out int 64 => (i * 2654435761 + 12345) % 4294967296
kernel void widths(global int *out) {
  size_t n = get_global_id(0);
  long wide = (long)n * 2654435761L + 12345;
  out[n] = (int)wide;
  if ((int)get_local_id(0) / 16 != (int)(get_local_id(0) >> 4)) out[n] = -1;
}
// Rows of work-group memory with many operations each: all eight at once, twelve by fours.
// kernel: rows_at_once
// global: 8
// local: 8
// arg: in int 64 = i
// arg: out int 8 => 2016 * (i + 1) + 9408
kernel void rows_at_once(global const int *in, global int *out) {
  local int tile[8][8];
  int l = get_local_id(0), sum[8] = {0}, all = 0;
  for (int d = 0; d < 8; d++) tile[d][l] = in[8 * d + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 0; d < 8; d++)
    for (int j = 0; j < 8; j++) sum[j] += tile[d][j] * (l + j + 1) + tile[7 - d][j];
  for (int j = 0; j < 8; j++) all += sum[j];
  out[l] = all;
}
// kernel: rows_by_fours
// global: 16
// local: 8
// arg: in int 96 = i
// arg: out int 16 => 4560 * (i % 8 + 1) + 21024
kernel void rows_by_fours(global const int *in, global int *out) {
  local int tile[12][8];
  int l = get_local_id(0), sum[8] = {0}, all = 0;
  for (int d = 0; d < 12; d++) tile[d][l] = in[8 * d + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 0; d < 12; d++)
    for (int j = 0; j < 8; j++) sum[j] += tile[d][j] * (l + j + 1) + tile[11 - d][j];
  for (int j = 0; j < 8; j++) all += sum[j];
  out[get_global_id(0)] = all;
}
