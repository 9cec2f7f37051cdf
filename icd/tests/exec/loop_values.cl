// Values that are computed in a loop and used after it, where the work-items leave the loop at different times.
// kernel: search
// global: 64
// arg: in int 128 = i * 3
// arg: out int 64 => i * 3 + 3 * ((i * 7) % 11)
kernel void search(global const int *in, global int *out) {
  int i = get_global_id(0), want = 3 * (i + (i * 7) % 11), k = i, v;
  do {
    v = in[k++];
  } while (v < want);
  out[i] = v;
}
// kernel: early
// global: 64
// arg: in int 128 = i * 3
// arg: out int 64 => (i * 3 + 3 * ((i * 7) % 11)) * 100 + (i * 7) % 11
kernel void early(global const int *in, global int *out) {
  int i = get_global_id(0), v, n = 0;
  while (1) {
    v = in[i + n];
    if (v >= 3 * (i + (i * 7) % 11))
      break;
    n++;
  }
  out[i] = v * 100 + n;
}
// kernel: computed
// global: 64
// arg: out float 64 => (i % 13 + 1) * 0.5
kernel void computed(global float *out) {
  int i = get_global_id(0), k = 0;
  float x;
  do {
    x = (k + 1) * 0.5f;
  } while (k++ < i % 13);
  out[i] = x;
}
