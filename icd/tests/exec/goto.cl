// kernel: irreducible
// global: 40
// arg: out int 40 => i % 2 ? (i < 9 ? 9 - i + 100 : 100) : (i < 10 ? (10 - i) / 2 * 3 + 200 - 2 : i < 11 ? 200 : 200)
kernel void irreducible(global int *out) {
  int n = get_global_id(0), i = n, steps = 0;
  if (n % 2) goto odd;
even: // a loop with two entries
  if (i >= 10) { out[n] = 200 + (steps > 0 ? steps - 2 : 0); return; }
  steps += 2;
  i++;
odd:
  if (n % 2) {
    while (i < 9) { i += 1; steps++; }
    out[n] = 100 + steps;
    return;
  }
  steps++;
  i++;
  goto even;
}
// kernel: two_entries
// global: 24
// arg: out int 24 => i % 3 == 0 ? 10 : i % 3 == 1 ? 9 : 110
kernel void two_entries(global int *out) {
  int n = get_global_id(0), a = 0, b = 0;
  if (n % 3 == 1) goto second;
first:
  a++;
  if (n % 3 == 2 && a == 1) b += 100;
second:
  b++;
  if (a + b % 100 < 9 + (n % 3 != 1)) goto first;
  out[n] = a + b;
}
// kernel: out_of_nested
// global: 64
// arg: in int 64 = (i * 29) % 64
// arg: out int 64 => a0[i] < 48 ? a0[i] * 10 + a0[i] % 4 : -a0[i]
kernel void out_of_nested(global const int *in, global int *out) {
  int n = get_global_id(0), sum = 0;
  for (int x = 0; x < 4; x++) {
    for (int y = 0; y < 4; y++)
      for (int z = 0; z < 4; z++) {
        if (x * 16 + y * 4 + z == in[n]) {
          if (x == 3) { out[n] = -in[n]; return; }
          sum += z;
          goto found;
        }
      }
  }
  sum = -1000;
found:
  out[n] = sum + in[n] * 10;
}
