// Pointers without limits (CL 6.1.7, 6.3, 6.9): as integers, in memory, compared, reinterpreted, in every address space.
// A check that fails leaves its bit cleared.
// only physical: pointers in buffers, pointers made of numbers, arguments compared with NULL

#define CHECK(k, x) if (x) bits |= 1UL << k

typedef struct item { int value; global struct item *next; } item;
typedef struct tree { int key; global struct tree *child[2]; } tree;

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

// kernel: list
// global: 1
// arg: inout ulong 64 = i * 0 + 7 => 7
// arg: out int 4 => i == 0 ? tri(31) : i == 1 ? 32 : i == 2 ? 21 : 1
kernel void list(global ulong *memory, global int *out) {
  // Every third item, so that the list jumps to and fro; built and taken down in the buffer.
  global item *items = (global item *)memory, *head = 0;
  for (int k = 0; k < 32; k++) {
    global item *at = items + k * 11 % 32;
    at->value = k;
    at->next = head;
    head = at;
  }
  int sum = 0, count = 0, place = 0;
  for (global item *at = head; at; at = at->next) {
    if (at == items + 11 * 10 % 32) place = count;
    sum += at->value;
    count++;
  }
  // Reversed in place.
  global item *back = 0;
  while (head) {
    global item *rest = head->next;
    head->next = back;
    back = head;
    head = rest;
  }
  int ordered = 1, k = 0;
  for (global item *at = back; at; at = at->next) ordered &= at->value == k++;
  out[0] = sum;
  out[1] = count;
  out[2] = place;
  out[3] = ordered && k == 32;
  for (int i = 0; i < 64; i++) memory[i] = 7;
}
// kernel: search_tree
// global: 1
// arg: inout ulong 96 = 0 => i % 3 == 0 ? 0 : 0
// arg: in int 32 = (i * 13 + 5) % 32
// arg: out int 33 => i < 32 ? i : 1
kernel void search_tree(global ulong *memory, global const int *keys, global int *out) {
  global tree *nodes = (global tree *)memory, *root = 0;
  for (int k = 0; k < 32; k++) {
    global tree *fresh = nodes + k;
    fresh->key = keys[k];
    fresh->child[0] = fresh->child[1] = 0;
    if (!root) { root = fresh; continue; }
    global tree *at = root;
    for (;;) {
      int side = fresh->key > at->key;
      if (!at->child[side]) { at->child[side] = fresh; break; }
      at = at->child[side];
    }
  }
  // In order, with a stack of pointers.
  global tree *stack[32], *at = root;
  int depth = 0, n = 0;
  while (at || depth) {
    while (at) { stack[depth++] = at; at = at->child[0]; }
    at = stack[--depth];
    out[n++] = at->key;
    at = at->child[1];
  }
  out[32] = n == 32;
  for (int i = 0; i < 96; i++) memory[i] = 0;
}
// kernel: stored_pointers
// local: 16
// global: 16
// arg: inout ulong 16 = 0 => 1
// arg: in int 64 = i * i
// arg: out int 16 => (3 * i) * (3 * i) + 1
// Pointers that one work-item stores another one takes.
kernel void stored_pointers(global ulong *cells, global const int *in, global int *out) {
  int i = get_global_id(0);
  local ulong exchange[16];
  cells[i] = (ulong)(in + 3 * i);
  exchange[15 - i] = (ulong)(out + i);
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  global const int *from = (global const int *)cells[15 - i];
  global int *to = (global int *)exchange[i];
  *to = *from + 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  cells[i] = 1;
}
