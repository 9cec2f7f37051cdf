// kernel: walk
// global: 16
// arg: in int 64 = i
// arg: out int 16 => 4 * (4 * i) + 6
kernel void walk(global const int *in, global int *out) {
  global const int *p = in + 4 * get_global_id(0), *end = p + 4;
  int sum = 0;
  while (p != end)
    sum += *p++;
  out[get_global_id(0)] = sum;
}
void bump(int *p, int by) { *p += by; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
// kernel: by_reference
// global: 16
// arg: out int 16 => 100 + i - (3 * i + 1)
kernel void by_reference(global int *out) {
  int i = get_global_id(0), a = i, b = 3 * i;
  bump(&a, 100);
  bump(&b, 1);
  swap(&a, &b);
  out[i] = b - a;
}
// kernel: selected
// global: 32
// arg: in int 32 = i
// arg: in int 32 = 1000 + i
// arg: out int 32 => i % 3 == 0 ? a0[i] : a1[i]
kernel void selected(global const int *a, global const int *b, global int *out) {
  int i = get_global_id(0);
  global const int *p = i % 3 ? b : a;
  out[i] = p[i];
}
// kernel: numbers
// global: 8
// arg: out ulong 8 => i * 4
kernel void numbers(global ulong *out) {
  int i = get_global_id(0);
  global int *p = (global int *)out;
  out[i] = (ulong)(p + i) - (ulong)out;
}
// kernel: private_arrays
// global: 16
// arg: out int 16 => i * 10 + (i + 3) % 10
kernel void private_arrays(global int *out) {
  int a[10], *p[2], i = get_global_id(0);
  for (int k = 0; k < 10; k++)
    a[k] = i * 10 + k;
  p[0] = a;
  p[1] = a + 3;
  out[i] = i % 10 < 7 ? p[1][i % 10] : p[0][(i + 3) % 10];
}
// kernel: punned
// global: 16
// arg: in uint 16 = rnd(i)
// arg: out uchar 64 => (a0[i / 4] >> (8 * (3 - i % 4))) & 255
kernel void punned(global const uint *in, global uchar *out) {
  int i = get_global_id(0);
  uint v = in[i];
  uchar *b = (uchar *)&v;
  for (int k = 0; k < 4; k++)
    out[4 * i + k] = b[3 - k];
}
