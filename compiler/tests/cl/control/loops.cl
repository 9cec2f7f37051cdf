// All loops, with continue in each, nested returns and conditions with effects.
int collatz(int x) {
  int n = 0;
  do {
    if (x == 1) break;
    n++;
    if (x & 1) {
      x = 3 * x + 1;
      continue;
    }
    x >>= 1;
  } while (n < 200);
  return n;
}
int deep(int a) {
  while (1) {
    for (;;) {
      do {
        if (a > 50) return a;
        a += 7;
        if (a % 3 == 0) break;
      } while (a < 40);
      if (a % 5 == 0) break;
      a++;
    }
    a += 2;
  }
}
__kernel void loops(__global int* out, int n) {
  int gid = get_global_id(0);
  int i = 0, s = 0;
  while (i++ < n && (s += i) < 100 || s == 7) {
    if (i == 4) continue;
    s ^= gid;
  }
  for (int a = 0, b = n; a < b; a += 2, --b) {
    if ((a ^ gid) & 1) continue;
    s += a * b;
  }
  out[gid] = s * 1000 + collatz(gid + 1) + deep(gid) * 100000;
}
