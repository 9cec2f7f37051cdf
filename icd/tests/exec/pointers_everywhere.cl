// Pointers without limits (CL 6.1.7, 6.3, 6.9): as integers, in private memory, compared, reinterpreted, in every address
// space. A check that fails leaves its bit cleared.

#define CHECK(k, x) if (x) bits |= 1UL << k

// kernel: numbers
// global: 4
// local: 4
// arg: inout int 64 = i * 3 => i * 3
// arg: local 64
// arg: out ulong 4 => (1 << 22) - 1
kernel void numbers(global int *g, local int *l, global ulong *out) {
  int me = get_local_id(0), z = g[0];
  local int own[8];
  int p[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  ulong bits = 0;
  CHECK(0, (global int *)((uintptr_t)g + 8) == g + 2 && *(global int *)((ulong)g + 12) == 9);
  if (me == 0) {
    l[0] = 5;
    own[0] = 6;
    *(local int *)((uintptr_t)l + 4) = 7;
    *(local int *)((size_t)own + 8) = 8;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  CHECK(1, l[0] == 5 && l[1] == 7 && own[2] == 8 && own[0] == 6);
  *(int *)((uintptr_t)p + 4 * z + 12) = 33;
  CHECK(2, p[3] == 33 && *(int *)((ulong)&p[5]) == 5);
  CHECK(3, sizeof(p + 0) == 8 && sizeof(l) == 8 && sizeof(g) == 8 && sizeof(size_t) == 8 && sizeof(&own) == 8);
  CHECK(4, ((ulong)g & 3) == 0 && ((ulong)l & 3) == 0 && ((ulong)own & 3) == 0 && ((ulong)p & 3) == 0);
  CHECK(5, (ulong)&p[2] - (ulong)&p[0] == 8 && (ulong)&l[3] - (ulong)l == 12);
  CHECK(6, g < g + 1 && &p[3] > &p[2] && &own[1] <= &own[1] && l + 2 >= l + 1 && !(g > g));
  CHECK(7, g && l && p && own);
  global int *gn = 0;
  local int *ln = 0;
  int *pn = NULL;
  CHECK(8, !gn && !ln && !pn && gn == 0 && ln == NULL && pn == 0);
  CHECK(9, (local int *)own != ln && l != ln && p != pn && g != gn);
  CHECK(10, (ulong)gn == 0 && (ulong)ln == 0 && (ulong)pn == 0);
  CHECK(11, (ulong)own != 0 && (ulong)l != 0 && (ulong)p != 0);
  CHECK(12, &own[0] != l);
  int *pp[3] = {&p[1], z ? pn : &p[4], pn};
  CHECK(13, *pp[z] == 1 && *pp[z + 1] == 4 && !pp[z + 2]);
  pp[z + 2] = p + 7;
  *pp[2] = 70;
  CHECK(14, p[7] == 70 && pp[2] - pp[0] == 6);
  local int *lp[2] = {own, l};
  CHECK(15, *lp[z] == 6 && *lp[1 - z] == 5 && lp[z] != lp[z + 1]);
  struct { int *a; local int *b; global int *c; } s = {p + 1, l + 1, g + 1}, t;
  t = s;
  CHECK(16, *t.a == 1 && *t.b == 7 && *t.c == 3);
  int **ppp = &pp[1];
  **ppp = 40;
  CHECK(17, p[4] == 40 && ppp[1] == p + 7);
  void *v = &p[6];
  CHECK(18, *(int *)v == 6 && (char *)v - (char *)p == 24);
  ulong packed = (ulong)(p + 2) ^ 0x5555;
  CHECK(19, *(int *)(packed ^ 0x5555) == 2);
  ptrdiff_t d = &g[5] - &g[1];
  CHECK(20, d == 4 && &g[1] - &g[5] == -4 && sizeof(d) == 8);
  const global int *c = g + 2;
  CHECK(21, *c++ == 6 && *c == 9 && c[-2] == 3 && *--c == 6);
  out[me] = bits;
}

// Addresses that are kept as integers in an array and changed there, before the kernel uses them.
// kernel: numbers_that_wait
// global: 8
// arg: in int 64 = i * i
// arg: inout int 64 = 1000 + i => i < 8 ? (3 * i) * (3 * i) + 1000 + i + i : 1000 + i
// arg: value int = 3
kernel void numbers_that_wait(global const int *in, global int *out, int three) {
  int i = get_global_id(0);
  ulong numbers[4];
  for (int k = 0; k < 4; k++) numbers[k] = k & 1 ? (ulong)(in + i * three) : (ulong)out;
  ulong to = numbers[three - 1];
  for (int k = 0; k < i; k++) to += sizeof(int);
  *(global int *)to += *(global const int *)numbers[three] + i;
}
