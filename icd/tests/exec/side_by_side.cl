// Loops that wait for their own arithmetic: some iterations side by side, what is left one by one.
// kernel: divisions
// global: 40
// local: 40
// arg: in int 64 = i
// arg: out int 40 => i * (i - 1) / 2 + (i > 5) * 1000 + (i > 6) * 1200 + (i > 21) * 4200
// arg: value int = 6
// arg: value int = 10
// arg: value int = 15
int rare(int v) {
  int sum = v;
  for (int j = 0; j < v; j++) sum += 200;
  return sum;
}
kernel void divisions(global const int *in, global int *out, int six, int ten, int fifteen) {
  local int tile[40];
  int l = get_local_id(0), sum = 0;
  tile[l] = in[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < l; k++) {
    int v = tile[k] * 6 / six;
    v = v * 10 / ten;
    v = v * 15 / fifteen;
    if (v == 5 || v == 6 || v == 21) v = rare(v);
    sum += v;
  }
  out[l] = sum;
}
// A second counter, the largest so far, and an idle first arm.
// kernel: counters
// global: 40
// local: 40
// arg: in int 64 = i * 3
// arg: out int 40 => (i > 0) * (30 * ((3 * (i - 1) + 7) % 40) % 1000 + 1) + (i > 20 ? 10000 : 0)
// arg: out int 40 => 3 * i + 7
// arg: value int = 3
// arg: value int = 1
kernel void counters(global const int *in, global int *out, global int *ends, int three, int one) {
  local int tile[40];
  int l = get_local_id(0), last = 0, seen = 0, j = 7;
  tile[l] = in[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 1; k <= l; k++) {
    int v = tile[j % 40] / three;
    v = v * 30 / one;
    v = v / one % 1000;
    last = k != 21 ? v + one : rare(0) + v + one;
    if (k == 21) seen = 10000;
    j += three;
  }
  out[l] = last + seen;
  ends[l] = j;
}
// A chain whose links have constants and arguments for operands.
// kernel: chain
// global: 1
// ulp: 16
// arg: out float 1 => 0.102711426
// arg: value float = 1
// arg: value int = 40
kernel void chain(global float *out, float s, int n) {
  float f = 0;
  for (int j = 0; j < n; j++) {
    float t = 1 / (1 / (1 / (j + s)));
    f = f * 0.5f + t * 2.0f;
  }
  *out = f;
}
