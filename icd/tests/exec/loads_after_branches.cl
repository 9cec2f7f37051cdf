// Branches whose arms load from one buffer, and arms that must not be executed.
// Both arms of a branch load from one buffer, inside of another such branch.
// kernel: packed
// global: 81
// arg: in int 45 = rnd(i) % 1000
// arg: out int 81 => (i % 9 <= i / 9 ? a0[(i / 9) * (i / 9 + 1) / 2 + i % 9] : a0[(i % 9) * (i % 9 + 1) / 2 + i / 9]) + a0[i % 9] * (i / 9)
// arg: value int = 1
// kernel: packed
// global: 81
// arg: in int 45 = rnd(i) % 1000
// arg: out int 81 => (i % 9 >= i / 9 ? a0[(17 - i / 9) * (i / 9) / 2 + i % 9] : a0[(17 - i % 9) * (i % 9) / 2 + i / 9]) + a0[i % 9] * (i / 9)
// arg: value int = 0
int element(global const int *a, int x, int y, int lower) {
  int r;
  if (lower) {
    if (x <= y) r = a[(y + 1) * y / 2 + x];
    else r = a[(x + 1) * x / 2 + y];
  } else {
    if (x >= y) r = a[(17 - y) * y / 2 + x];
    else r = a[(17 - x) * x / 2 + y];
  }
  return r;
}
kernel void packed(global const int *restrict in, global int *restrict out, int lower) {
  int x = get_global_id(0) % 9, y = get_global_id(0) / 9, sum = element(in, x, y, lower);
  for (int k = 0; k < y; k++) sum += in[x];
  out[get_global_id(0)] = sum;
}
// Arms that must not be executed: a division by zero, an address that does not exist, and a store in between.
// kernel: arms
// global: 16
// arg: in int 16 = i + 1
// arg: inout int 32 = i => i < 16 ? (i % 4 == 0 ? 1 : 12 / (i % 4) + 1) + (i == 3 ? 0 : i + 1) + (i % 2 ? 7 : i) : (i % 2 ? 7 : i)
// arg: null
kernel void arms(global const int *restrict in, global int *out, global const int *absent) {
  int i = get_global_id(0), a, b, c;
  if (i % 4 == 0) a = in[0];
  else a = in[12 / (i % 4)];
  if (i == 3) b = absent ? absent[i] : 0;
  else b = in[i];
  if (i % 2) { out[i + 16] = 7; c = out[i + 16]; }
  else c = out[i];
  out[i] = a + b + c;
}
