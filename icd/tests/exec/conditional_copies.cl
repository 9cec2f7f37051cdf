// Copies to local memory under conditions that test limits. The buffers have only the elements that are copied, so the elements for
// which a condition is false do not exist.
// kernel: copies
// global: 24
// local: 8
// arg: in int 60 = i * 7 % 31
// arg: local 80
// arg: out int 24 => a0[(i / 8) * 20 + i % 8] + 10 * a0[(i / 8) * 20 + i % 8 + 8] + (i % 8 < 4 ? 100 * a0[(i / 8) * 20 + i % 8 + 16] : 0)
// arg: value int = 20
kernel void copies(global const int *in, local int *tile, global int *out, int n) {
  int l = get_local_id(0), size = get_local_size(0);
  int loops = (n + size - 1) / size;
  for (int k = 0; k < loops; k++) {
    int at = k * size + l;
    if (at < n) tile[at] = in[get_group_id(0) * n + at];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0, scale = 1;
  for (int k = l; k < n; k += size, scale *= 10) sum += scale * tile[k];
  out[get_global_id(0)] = sum;
}
// The pointer is null, and neither the first arm of a branch nor the second one loads from it.
// kernel: from_nothing
// global: 8
// local: 4
// arg: null
// arg: local 64
// arg: out int 8 => 6
// arg: value int = 0
// arg: value int = 6
kernel void from_nothing(global const int *in, local int *tile, global int *out, int n, int rows) {
  int l = get_local_id(0), sum = 0;
  for (int k = 0; k < rows; k++) {
    tile[l * 4] = 1;
    if (k < n) tile[l * 4] = in[k];
    int v = 0;
    if (k >= n) v = 0; else v = in[l + k];
    sum += tile[l * 4] + v;
  }
  out[get_global_id(0)] = sum;
}
// The arms of a branch load from different buffers. Where the index leaves one buffer, the other one is read.
// kernel: two_buffers
// global: 6
// arg: in int 6 = i + 1
// arg: in int 3 = 100 * i
// arg: out int 6 => i == 0 ? 1 : i == 1 ? 3 : 3 * i
// arg: value int = 3
kernel void two_buffers(global const int *in, global const int *before, global int *out, int taps) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < taps; k++) {
    if (i >= k) sum += in[i - k];
    else sum += before[taps - (k - i)] - 100 * (taps - (k - i));
  }
  out[i] = sum;
}
// Branches in sequence without a loop. The last one loads what the one before it may have stored.
// kernel: sequence
// global: 4
// arg: inout int 8 = i => i == 7 ? 3 : i
// arg: local 64
// arg: out int 4 => i < 3 ? 2 * i + 1 : 3
// arg: value int = 3
kernel void sequence(global int *a, local int *tile, global int *out, int last) {
  int i = get_global_id(0);
  tile[i * 2] = 0;
  tile[i * 2 + 1] = 0;
  if (i <= last) tile[i * 2] = a[i];
  if (i < last) tile[i * 2 + 1] = a[i + 1];
  int sum = tile[i * 2] + tile[i * 2 + 1];
  if (i == last) a[i + 4] = sum;
  if (i >= last) sum = a[i + 4];
  out[i] = sum;
}
// The steps of a scan, and both arms of a branch, load from local memory. Where such a load is not executed, its index may be
// far outside of the array.
// kernel: near_loads
// global: 8
// local: 8
// arg: in int 8 = i + 1
// arg: local 64
// arg: out int 16 => i < 8 ? (i + 1) * (i + 2) / 2 : i == 8 || i == 9 ? 100 * (i - 8) : 100 * (i - 8) + i - 9
// arg: value int = 1000000000
kernel void near_loads(global const int *in, local int *tile, global int *out, int far) {
  int l = get_local_id(0), sum = in[l], start = 0;
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 1; k < 8; k *= 2) {
    if (l >= k) sum += tile[start + l - k];
    start = 8 - start;
    tile[start + l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
  tile[l] = l;
  tile[8 + l] = 100 * l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v;
  if (l < 2) v = tile[8 + l + (l >= 2) * far];
  else v = tile[l + (l < 2) * far - 1] + tile[8 + l];
  out[8 + l] = v;
}
