// Pointers that are kept in buffers.

typedef struct item { int value; global struct item *next; } item;
typedef struct tree { int key; global struct tree *child[2]; } tree;

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
