// Loops in which every work-item loads the same values, which the pass `share_loads` divides among the work-items of a
// sub-group, and loops that it must leave alone because some work-items have left them or load other values.

// kernel: product
// global: 16 4
// local: 8 2
// arg: value uint = 13
// arg: in int 64 = i * i % 23
// arg: in int 256 = i % 17 - 5
// arg: out int 64 => a1[i/16*13] * a2[i%16] + a1[i/16*13+1] * a2[16+i%16] + a1[i/16*13+2] * a2[32+i%16] + a1[i/16*13+3] * a2[48+i%16] + a1[i/16*13+4] * a2[64+i%16] + a1[i/16*13+5] * a2[80+i%16] + a1[i/16*13+6] * a2[96+i%16] + a1[i/16*13+7] * a2[112+i%16] + a1[i/16*13+8] * a2[128+i%16] + a1[i/16*13+9] * a2[144+i%16] + a1[i/16*13+10] * a2[160+i%16] + a1[i/16*13+11] * a2[176+i%16] + a1[i/16*13+12] * a2[192+i%16]
// kernel: product
// global: 16 4
// local: 4 4
// arg: value uint = 3
// arg: in int 64 = i * i % 23
// arg: in int 256 = i % 17 - 5
// arg: out int 64 => a1[i/16*3] * a2[i%16] + a1[i/16*3+1] * a2[16+i%16] + a1[i/16*3+2] * a2[32+i%16]
kernel void product(uint n, global const int *a, global const int *b, global int *c) {
  uint column = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (uint k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * 16 + column];
  c[row * 16 + column] = sum;
}

// kernel: sums
// global: 16
// local: 16
// arg: value int = 3
// arg: value int = 40
// arg: value int = 3
// arg: in int 64 = i * i
// arg: out int 16 => 7371 + i
// kernel: sums
// global: 12
// local: 12
// arg: value int = 3
// arg: value int = 40
// arg: value int = 3
// arg: in int 64 = i * i
// arg: out int 12 => 7371 + i
// kernel: sums
// global: 7
// local: 1
// arg: value int = 3
// arg: value int = 40
// arg: value int = 3
// arg: in int 64 = i * i
// arg: out int 7 => 7371 + i
// kernel: sums
// global: 24
// local: 8
// arg: value int = 3
// arg: value int = 26
// arg: value int = 1
// arg: in int 64 = i * i
// arg: out int 24 => 5520 + i
kernel void sums(int from, int to, int step, global const int *a, global int *c) {
  int sum = get_global_id(0);
  for (int k = from; k < to; k += step) sum += a[k];
  c[get_global_id(0)] = sum;
}

// kernel: steps
// global: 16
// local: 8
// arg: value uint = 50
// arg: value uint = 5
// arg: in uint 64 = i
// arg: out uint 16 => 225 + i
// kernel: steps
// global: 16
// local: 8
// arg: value uint = 64
// arg: value uint = 1
// arg: in uint 64 = i
// arg: out uint 16 => 2016 + i
kernel void steps(uint n, uint step, global const uint *a, global uint *c) {
  uint sum = get_global_id(0);
  for (uint k = 0; k < n; k += step) sum += a[k];
  c[get_global_id(0)] = sum;
}

// kernel: some_are_out
// global: 16
// local: 16
// arg: value int = 5
// arg: in int 16 = i + 1
// arg: out int 16 => i < 5 ? 136 : (i == 9 ? 0 : -1)
kernel void some_are_out(int limit, global const int *a, global int *c) {
  int me = get_global_id(0), sum = 0;
  if (me == 9) {
    c[me] = 0;
    return;
  }
  if (me < limit) {
    for (int k = 0; k < 16; k++) sum += a[k];
    c[me] = sum;
  } else
    c[me] = -1;
}

// kernel: first_is_out
// global: 16
// local: 16
// arg: value int = 16
// arg: in int 16 = i + 1
// arg: out int 16 => i % 8 < 3 ? 7 : 136
kernel void first_is_out(int n, global const int *a, global int *c) {
  int me = get_global_id(0), sum = 0;
  c[me] = 7;
  if (me % 8 < 3) return;
  for (int k = 0; k < n; k++) sum += a[k];
  c[me] = sum;
}

// kernel: own_bounds
// global: 16
// local: 8
// arg: in int 64 = i
// arg: out int 16 => (2 * i + 3) * (2 * i + 2) / 2
kernel void own_bounds(global const int *a, global int *c) {
  int me = get_global_id(0), sum = 0;
  for (int k = 0; k < 2 * me + 3; k++) sum += a[k];
  c[me] = sum;
}

// kernel: leaving_one_by_one
// global: 16
// local: 16
// arg: value int = 10
// arg: in int 200 = 1
// arg: out int 16 => i * 10
kernel void leaving_one_by_one(int n, global const int *a, global int *c) {
  int me = get_global_id(0), sum = 0;
  for (int t = 0; t < 20; t++) {
    if (t == me) break;
    for (int k = 0; k < n; k++) sum += a[t * n + k];
  }
  c[me] = sum;
}

// kernel: results_of_loops
// global: 16
// local: 16
// arg: value int = 10
// arg: in int 64 = i
// arg: out int 16 => 10 * (i + 1) + 45
kernel void results_of_loops(int n, global const int *a, global int *c) {
  int me = get_global_id(0), start = 0, sum = 0;
  while (start <= me) start++;
  for (int k = 0; k < n; k++) sum += a[start + k];
  c[me] = sum;
}

// kernel: tiles
// global: 32
// local: 16
// arg: value int = 3
// arg: in float 192 = i
// arg: out float 32 => 12 * i + 18336
kernel void tiles(int n, global const float4 *a, global float *c) {
  local float4 tile[16];
  int me = get_local_id(0);
  float sum = 0;
  for (int t = 0; t < n; t++) {
    tile[me] = a[t * 16 + me];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) {
      float4 other = tile[k];
      sum += other.x + other.y + other.z + other.w;
    }
    for (int k = 0; k < 4; k++) sum += get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(0)] = sum;
}

// kernel: types
// global: 16
// local: 8
// arg: value int = 19
// arg: in uchar 32 = i * 7
// arg: in long 32 = i * 4294967296 + i
// arg: in short 64 = i - 30
// arg: out long 16 => 171 * 4294967297 + i + 1197 - 437
kernel void types(int n, global const uchar *a, global const long *b, global const short2 *d, global long *c) {
  long sum = get_global_id(0);
  for (int k = 0; k < n; k++) sum += a[k] + b[k] + (d[k].x + d[k].y) ;
  c[get_global_id(0)] = sum;
}

// kernel: pairs
// global: 16
// local: 8
// arg: in float 64 = i
// arg: out float 64 => i % 4 == 0 ? a0[i] + a0[i + 3] : (i % 4 == 1 ? a0[i] - a0[i + 1] : (i % 4 == 2 ? a0[i] * 2 : a0[i] + 1))
kernel void pairs(global const float4 *a, global float2 *c) {
  local float2 both[16];
  int me = get_global_id(0);
  float4 v = a[me];
  both[get_local_id(0)] = v.zw;
  barrier(CLK_LOCAL_MEM_FENCE);
  float2 other = both[get_local_id(0)];
  c[2 * me] = (float2)(v.x + other.y, v.y - other.x);
  c[2 * me + 1] = (float2)(v.z * 2, v.w + 1);
}
