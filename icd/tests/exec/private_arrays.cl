// Insertion sort of a private array, whose loop leaves by a value that it computes and is made several times as long.
// kernel: sorted
// global: 64
// arg: in int 1024 = rnd(i) % 1000
// arg: out int 64 => 1
// arg: value int = 9
kernel void sorted(global const int *in, global int *out, int count) {
  int a[16], g = get_global_id(0), ok = 1;
  for (int x = 0; x < count; x++) a[x] = in[g * 16 + x];
  for (int i = 0; i < count; i++) {
    int j, t = a[i];
    for (j = i - 1; j >= 0 && t < a[j]; j--) a[j + 1] = a[j];
    a[j + 1] = t;
  }
  for (int x = 0; x < count; x++) {
    int rank = 0;
    for (int y = 0; y < count; y++) rank += in[g * 16 + y] < a[x];
    ok &= rank <= x && (x == 0 || a[x - 1] <= a[x]);
  }
  out[g] = ok;
}
// An element that is read and written while the index goes on.
// kernel: stale
// global: 16
// arg: out int 16 => 3 * (tri(7) + 8 * i) + 5
// arg: value int = 8
kernel void stale(global int *out, int count) {
  int a[17], g = get_global_id(0), sum = 5;
  for (int x = 0; x < 17; x++) a[x] = x + g;
  int i = 0;
  while (i < count) {
    int old = a[i];
    int at = i;
    i++;
    if (i > 20) a[i] = 1;
    a[at] = old * 3;
  }
  for (int x = 0; x < count; x++) sum += a[x];
  out[g] = sum;
}
