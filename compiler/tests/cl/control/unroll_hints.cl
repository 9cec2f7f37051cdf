// Every way to ask for it.
#define UNROLL(n) _Pragma(#n)
kernel void hints(global int *p, int n) {
  #pragma unroll
  for (int i = 0; i < 4; i++) p[i] += i;
#pragma unroll 8
  for (int i = 0; i < n; i++) p[i] += i;
#pragma unroll(2)
  while (n > 3) p[n--] = 1;
#pragma nounroll
  do p[n++] *= 2; while (n < 9);
  __attribute__((opencl_unroll_hint)) for (int i = 0; i < 3; i++) p[i] = 2;
  __attribute__((opencl_unroll_hint(3)))
  for (int i = 0; i < 30; i++) p[i] -= n;
  __attribute__((__opencl_unroll_hint__(1))) while (n-- > 4) p[n] = 3;
  UNROLL(unroll 4) for (;;) {
    if (p[0]++ > 7) break;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
      #pragma unroll 1
      for (int j = 0; j < 2; j++) p[k * 2 + j]++;
    }
  }
}
enum { FOUR = 4 };
kernel void named(global int *p) {
  const int two = 2;
#pragma unroll FOUR
  for (int i = 0; i < 16; i++) p[i] += i;
#pragma unroll (two)
  for (int i = 0; i < 16; i++) p[i] += i;
  __attribute__((opencl_unroll_hint(FOUR / 2))) for (int i = 0; i < 16; i++) p[i] += i;
}
