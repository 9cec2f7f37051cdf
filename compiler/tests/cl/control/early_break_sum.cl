// A sum whose loop may be left early, from two places.
__kernel void early_break_sum(__global const int* in, __global int* out, int n, int limit) {
  int gid = get_global_id(0);
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    int v = in[(gid + i) % n];
    if (v == limit) break;
    if (v & 1) continue;
    sum += v;
    if (sum > 1000) {
      sum = -sum;
      break;
    }
  }
  out[gid] = sum;
}
