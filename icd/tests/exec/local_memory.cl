// kernel: reduce
// global: 256
// local: 64
// arg: in int 256 = i * 3 + 1
// arg: out int 4 => 64 * (i * 64) * 3 + 3 * 2016 + 64
kernel void reduce(global const int *in, global int *out) {
  local int scratch[64];
  int l = get_local_id(0);
  scratch[l] = in[get_global_id(0)];
  for (int step = 32; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step)
      scratch[l] += scratch[l + step];
  }
  if (l == 0)
    out[get_group_id(0)] = scratch[0];
}
// kernel: reverse
// global: 128
// local: 32
// arg: in float 128 = i
// arg: out float 128 => (i / 32) * 32 + 31 - i % 32
// arg: local 128
kernel void reverse(global const float *in, global float *out, local float *t) {
  int l = get_local_id(0), n = get_local_size(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = t[n - 1 - l];
}
// kernel: bytes
// global: 64
// local: 64
// arg: out uchar 64 => 63 - i
kernel void bytes(global uchar *out) {
  local uchar a[64];
  local short b[64];
  int l = get_local_id(0);
  a[l] = 63 - l;
  b[63 - l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = a[l] == b[l] ? a[l] : 255;
}
// kernel: transpose
// global: 32 32
// local: 8 8
// arg: in int 1024 = i
// arg: out int 1024 => (i % 32) * 32 + i / 32
kernel void transpose(global const int *in, global int *out) {
  local int tile[8][9];
  int x = get_global_id(0), y = get_global_id(1);
  tile[get_local_id(1)][get_local_id(0)] = in[y * 32 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  int tx = get_group_id(1) * 8 + get_local_id(0), ty = get_group_id(0) * 8 + get_local_id(1);
  out[ty * 32 + tx] = tile[get_local_id(0)][get_local_id(1)];
}
