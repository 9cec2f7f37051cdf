// Loops that load from one pointer and store to another, where only the launch tells whether the memory is the same: the first
// work-item of each kernel uses two buffers, and the second one parts of one buffer that overlap.
// kernel: next
// global: 2
// arg: inout int 128 = 5 * i => i < 65 ? 5 * i : i <= 104 ? 320 + (i - 64) : 5 * i
// arg: inout int 64 = 7 => i < 40 ? 5 * i + 1 : 7
// arg: value int = 40
kernel void next(global int *a, global int *b, int n) {
  bool one = get_global_id(0);
  global int *from = one ? a + 64 : a, *to = one ? a + 65 : b;
  for (int i = 0; i < n; i++) to[i] = from[i] + 1;
}
// kernel: reverse
// global: 2
// arg: inout int 128 = 3 * i => i < 64 ? 3 * i : i < 104 ? 3 * min(i, 167 - i) : 3 * i
// arg: inout int 64 = 7 => i < 40 ? 3 * (39 - i) : 7
// arg: value uint = 40
kernel void reverse(global int *a, global int *b, uint n) {
  bool one = get_global_id(0);
  global int *from = one ? a + 64 : a, *to = one ? a + 64 : b;
  for (uint i = 0; i < n; i++) to[n - 1 - i] = from[i];
}
// One place for all iterations, which one of them loads.
// kernel: place
// global: 2
// arg: inout int 128 = 1 => i == 84 ? 59 : 1
// arg: inout int 4 = 7 => i == 0 ? 40 : 7
// arg: value int = 40
kernel void place(global int *a, global int *b, int n) {
  bool one = get_global_id(0);
  global int *from = one ? a + 64 : a, *to = one ? a + 84 : b;
  int sum = 0;
  for (int i = 0; i < n; i++) { sum += from[i]; to[0] = sum; }
}
// A transposition with steps of two columns, and indices that are unsigned.
// kernel: transpose
// global: 8
// arg: in short 384 = i * 3
// arg: inout short 384 = 7 => i / 8 % 2 == 1 ? 7 : (i % 8 * 48 + i / 8) * 3
// arg: value int = 48
// arg: value uint = 8
kernel void transpose(global short *a, global short *b, int n, uint rows) {
  uint row = get_global_id(0);
  for (int i = 0; i < n; i += 2) b[i * rows + row] = a[row * n + i];
}
// The end of what is loaded touches the beginning of what is stored, and the other way round; and by one byte too much.
// kernel: neighbours
// global: 4
// arg: inout uchar 512 = i % 128 => i < 128 ? (i < 32 || i >= 64 ? i : i - 31) : i < 256 ? (i < 160 ? i - 95 : i - 128) : i < 384 ? (i < 287 ? i - 256 : i < 318 ? i - 286 : i == 318 ? 2 : i - 256) : i < 415 ? i - 352 : i == 415 ? 63 : i - 384
// arg: null
// arg: value int = 32
kernel void neighbours(global uchar *a, global uchar *b, int n) {
  int item = get_global_id(0);
  int from = item == 0 || item == 2 ? 0 : item == 1 ? 32 : 31;
  int to = item == 1 || item == 3 ? 0 : item == 0 ? 32 : 31;
  a += item * 128;
  global uchar *p = n > 99 ? b : a + from, *q = n > 98 ? b : a + to;
  for (int i = 0; i < n; i++) q[i] = p[i] + 1;
}
