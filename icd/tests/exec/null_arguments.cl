// Null pointers as arguments (CL 5.7.2), and pointers that may be NULL.

// kernel: null_pointer
// global: 1
// arg: null
// arg: out int 1 => 1
kernel void null_pointer(global int *p, global int *out) {
  out[0] = p == 0;
}

// kernel: some
// global: 4
// arg: in int 4 = i + 1
// arg: null
// arg: value int = 3
// arg: null
// arg: out int 4 => i + 1 + 40
// kernel: some
// global: 4
// arg: null
// arg: in int 4 = 5 * i
// arg: value int = 3
// arg: in int 4 = 100 * i
// arg: out int 4 => 105 * i + 21
kernel void some(global const int *a, global const int *b, int n, constant int *c, global int *out) {
  int i = get_global_id(0);
  if (i > n) return;
  int sum = 0;
  if (a) sum += a[i];
  if (b != 0) sum += b[i];
  sum += c ? c[i] + 1 : 40;
  if (!a) sum += 20;
  out[i] = sum;
}

// A loop finds the first of three pointers that is not NULL.
// kernel: first_of
// global: 4
// arg: null
// arg: null
// arg: inout int 4 = 7 => i + 7
// arg: out ulong 4 => 30
// kernel: first_of
// global: 4
// arg: null
// arg: inout int 4 = 2 => i + 2
// arg: inout int 4 = 7 => 7
// arg: out ulong 4 => 22
// kernel: first_of
// global: 4
// arg: null
// arg: null
// arg: null
// arg: out ulong 4 => 99
kernel void first_of(global int *a, global int *b, global int *c, global ulong *out) {
  global int *all[3] = {a, b, c}, *found = 0;
  int i = get_global_id(0), at;
  for (at = 0; at < 3 && !found; at++) found = all[at];
  if (!found) { out[i] = 99; return; }
  found[i] += i;
  out[i] = ((ulong)a != 0) + 2 * ((ulong)b != 0) + 10 * at;
}

// Pointers to local and constant memory that may be NULL.
constant int table[3] = {5, 6, 7};
constant int *constant rows[3] = {table + 2, 0, table};
// kernel: elsewhere
// global: 4
// local: 4
// arg: in int 4 = i
// arg: local 16
// arg: out int 4 => [7, 11, 5, 10]
kernel void elsewhere(global const int *in, local int *l, global int *out) {
  int i = get_local_id(0);
  l[i] = 10;
  barrier(CLK_LOCAL_MEM_FENCE);
  local int *p = in[i] & 1 ? l + i : 0;
  constant int *row = in[i] < 3 ? rows[in[i]] : 0;
  out[i] = (p ? *p : 0) + (row ? *row : 0) + (!row && i == 1);
}
