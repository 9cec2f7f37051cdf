// needs: cl_khr_fp64
// kernel: retry
// global: 40
// arg: out int 40 => i < 3 ? 3 : i
kernel void retry(global int *out) {
  int n = get_global_id(0);
  out[n] = ({ int i = n; again: if (i < 3) { i++; goto again; } i; });
}
// kernel: leave_loop
// global: 20
// arg: out int 20 => i < 4 ? tri(i - 1) * 2 : i < 7 ? tri(i - 1) * 2 - 6 : 24 + 1000
kernel void leave_loop(global int *out) {
  int n = get_global_id(0), sum = 0, i;
  for (i = 0; i < n; i++) {
    int x = ({ if (i == 3) continue; if (i == 6) break; i * 2; });
    sum += x;
  }
  out[n] = sum + (i == 6 && n > 6 ? 1000 : 0);
}
// kernel: check_each
// global: 32
// arg: in int 32 = i - 4
// arg: out int 32 => i == 0 ? -1 : i < 4 ? -1 : (i - 4) * 2 + 1
#define CHECKED(x) ({ int r = (x); if (r < 0) goto fail; r; })
kernel void check_each(global const int *in, global int *out) {
  int n = get_global_id(0);
  out[n] = CHECKED(in[n]) + CHECKED(in[n] + 1);
  return;
fail:
  out[n] = -1;
}
// kernel: only_sometimes
// global: 24
// arg: out int 24 => i < 4 ? 1 : i < 8 ? 2 : i < 12 ? 3 : i < 16 ? 40 + i : 5
kernel void only_sometimes(global int *out) {
  int n = get_global_id(0), r = 0;
  if (n < 8 && ({ if (n < 4) goto one; 1; })) { out[n] = 2; return; }
  if (n >= 12 || ({ r = 3; goto store; 0; })) r = n < 16 ? 40 + n : ({ out[n] = 5; return; 0; });
store:
  out[n] = r;
  return;
one:
  out[n] = 1;
}
// kernel: in_heads
// global: 16
// arg: out int 16 => i * 100 + (i < 5 ? i : 5)
kernel void in_heads(global int *out) {
  int n = get_global_id(0), a = 0, b = 0, c = 0;
  while (({ if (a >= 5) break; a < n; })) a++;
  do { if (b & 1) { b++; continue; } b++; } while (({ if (b > n) goto next; 1; }));
next:
  for (int i = 0; i < n; ({ if (i > 50) return; i++; })) c++;
  switch (n) { case 99: c = ({ case 98: c = 7; c; }); }
  out[n] = c * 100 + a;
}
// kernel: unevaluated
// global: 4
// arg: out int 4 => i == 0 ? 24 : i == 1 ? 8 : i == 2 ? 7 : 30 + i
// What sizeof looks at is never there: its labels, cases and jumps are its own.
kernel void unevaluated(global int *out) {
  int n = get_global_id(0), r = 30 + n;
  switch (n) {
  case 0: r = sizeof(({ again: case 3: if (n) goto again; break; (long)n; })) * 3; break;
  case 1: r = sizeof(({ int k = 0; again: k++; if (k < 3) goto again; (double)k; })); break;
  case 2: goto again;
  }
  out[n] = r;
  return;
again:
  out[n] = ({ int q = 3; last: q + 4; });
}
