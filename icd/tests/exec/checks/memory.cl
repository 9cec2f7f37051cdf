// Each kernel has one fault, in the line that says so. The test launches them with 4 work-items in one work-group:
// `out` and `in` have 16 elements, `c` and `l` have 8, and n is 16.

#define ARGS global int *out, global const int *in, constant int *c, local int *l, int n
#define LAST_OF(list) list[n]

struct record { int a, b, c, d, e, f; };
struct list { global int *first; int count; };

constant int table[4] = { 1, 2, 3, 4 };

int sum(global const int *list, int count) {
  int total = 0;
  for (int k = 0; k < count; k++) total += list[k]; // fault of sum_in_function
  return total;
}

void put(local int *list, int at, int value) {
  list[at] = value; // fault of store_in_function
}

kernel void store_after_end(ARGS) {
  int i = get_global_id(0);
  out[n + i] = i; // fault
}
kernel void store_before_start(ARGS) {
  int i = get_global_id(0);
  out[-1 - i] = i; // fault
}
kernel void load_after_end(ARGS) {
  int i = get_global_id(0);
  out[i] = in[i + 13]; // fault
}
kernel void load_before_start(ARGS) {
  int i = get_global_id(0);
  out[i] =
    in[i] +
    in[i - 4]; // fault
}
kernel void one_too_many(ARGS) {
  int total = 0;
  for (int k = 0; k <= n; k++)
    total += in[k]; // fault
  out[get_global_id(0)] = total;
}
kernel void constant_argument(ARGS) {
  out[get_global_id(0)] = c[get_global_id(0) + 5]; // fault
}
kernel void local_argument_store(ARGS) {
  l[get_local_id(0) + 5] = 1; // fault
}
kernel void local_argument_load(ARGS) {
  l[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l[get_local_id(0) - 1]; // fault
}
kernel void local_array_store(ARGS) {
  local int own[6];
  own[get_local_id(0) * 2] = n; // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[2];
}
kernel void local_array_load(ARGS) {
  local int own[4];
  own[get_local_id(0)] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0) + 1]; // fault
}
kernel void private_array_store(ARGS) {
  int own[4] = { 0 };
  own[get_global_id(0) + 1] = n; // fault
  out[get_global_id(0)] = own[n & 3];
}
kernel void private_array_load(ARGS) {
  int own[4] = { 1, 2, 3, 4 };
  out[get_global_id(0)] = own[n >> get_global_id(0)]; // fault
}
kernel void private_constant_index(ARGS) {
  int own[4] = { 1, 2, 3, 4 };
  out[get_global_id(0)] = own[4]; // fault
}
kernel void private_matrix(ARGS) {
  int own[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  int i = get_global_id(0);
  out[i] = own[i][2]; // fault
}
kernel void program_constant(ARGS) {
  out[get_global_id(0)] = table[get_global_id(0) + 1]; // fault
}
kernel void vector_load(ARGS) {
  int4 v = vload4(3, in + 1); // fault
  out[get_global_id(0)] = v.x + v.w;
}
kernel void vector_store(ARGS) {
  int4 v = n;
  vstore4(v, get_global_id(0) + 1, out); // fault
}
kernel void vector_pointer(ARGS) {
  global int2 *pairs = (global int2 *)out;
  pairs[get_global_id(0) + 5] = n; // fault
}
kernel void half_outside(ARGS) {
  *(global short *)((global char *)out + 63) = 1; // fault
}
kernel void bytes(ARGS) {
  global char *list = (global char *)out;
  list[61 + get_global_id(0)] = 1; // fault
}
kernel void longs(ARGS) {
  out[get_global_id(0)] = ((global const long *)in)[get_global_id(0) * 3]; // fault
}
kernel void member(ARGS) {
  global const struct record *list = (global const struct record *)in;
  out[get_global_id(0)] = list[2].e; // fault
}
kernel void copied_record(ARGS) {
  global const struct record *list = (global const struct record *)in;
  struct record one = list[get_global_id(0)]; // fault
  out[get_global_id(0)] = one.a + one.f;
}
kernel void sum_in_function(ARGS) {
  out[get_global_id(0)] = sum(in + 4, 13);
}
kernel void store_in_function(ARGS) {
  put(l, get_local_id(0) + 6, n);
}
kernel void walking_pointer(ARGS) {
  global const int *p = in;
  int total = 0;
  while (p < in + n + 2)
    total += *p++; // fault
  out[get_global_id(0)] = total;
}
kernel void chosen_pointer(ARGS) {
  global const int *p = get_global_id(0) & 1 ? in + 15 : out;
  out[get_global_id(0)] = p[1]; // fault
}
kernel void pointer_in_record(ARGS) {
  struct list one = { out, n };
  struct list *p = n ? &one : 0;
  p->first[1 << 28] = p->count; // fault
}
kernel void null_pointer(ARGS) {
  global int *p = 0;
  *p = n; // fault
}
kernel void atomic(ARGS) {
  atomic_add(out + n - 1 + get_global_id(0), 1); // fault
}
kernel void local_atomic(ARGS) {
  l[get_local_id(0) + 4] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(l + 7 + get_local_id(0)); // fault
}
kernel void in_macro(ARGS) {
  out[get_global_id(0)] = LAST_OF(in); // fault
}
kernel void in_condition(ARGS) {
  if (get_global_id(0) > 0
      && in[get_global_id(0) + 13] > 3) // fault
    out[0] = 1;
}
kernel void in_switch(ARGS) {
  switch (get_global_id(0)) {
    case 0: out[0] = 1; break;
    case 1: out[17] = 1; break; // fault
    default: out[get_global_id(0)] = 2;
  }
}
kernel void compound(ARGS) {
  out[n] += 1; // fault
}
kernel void async_copy(ARGS) {
  event_t e = async_work_group_copy(l, in, 9, 0); // fault
  wait_group_events(1, &e);
}
kernel void far_away(ARGS) {
  out[(long)get_global_id(0) << 40] = 1; // fault
}
kernel void unsigned_index(ARGS) {
  uint k = get_global_id(0);
  out[k - 1] = 1; // fault
}
kernel void rows(ARGS) {
  int row = get_global_id(0) + 1, column = 3;
  out[row * 4 + column] = 1; // fault
}
// Misaligned accesses.
kernel void int_in_bytes(ARGS) {
  global const char *start = (global const char *)in + 2;
  global const int *p = (global const int *)start;
  out[get_global_id(0)] = *p; // fault
}
kernel void vector_at_an_int(ARGS) {
  int i = get_global_id(0);
  out[i] = ((global const int4 *)(in + i))->x; // fault
}
kernel void whole_vector(ARGS) {
  int4 v = *(global const int4 *)(in + get_global_id(0)); // fault
  out[get_global_id(0)] = v.x + v.w;
}
kernel void misaligned_store(ARGS) {
  global short *list = (global short *)((global char *)out + n - 15);
  list[get_global_id(0)] = 1; // fault
}
kernel void misaligned_local(ARGS) {
  local int2 *pairs = (local int2 *)(l + n / 16);
  pairs[get_local_id(0) & 1] = n; // fault
}
kernel void misaligned_private(ARGS) {
  char own[16] = { 1 };
  out[get_global_id(0)] = *(int *)(own + get_global_id(0)); // fault
}
kernel void misaligned_constant(ARGS) {
  constant char *list = (constant char *)table;
  out[get_global_id(0)] = *(constant short *)(list + get_global_id(0)); // fault
}
kernel void steps_of_three(ARGS) {
  int total = 0;
  for (global const char *p = (global const char *)in; p < (global const char *)(in + 4); p += 3)
    total += *(global const int *)p; // fault
  out[get_global_id(0)] = total;
}
kernel void misaligned_record(ARGS) {
  global const struct record *list = (global const struct record *)((global const char *)in + n + 1);
  struct record one = *list; // fault
  out[get_global_id(0)] = one.a + one.f;
}
kernel void misaligned_atomic(ARGS) {
  atomic_inc((global int *)((global char *)out + n + 1)); // fault
}
// Indices beyond arrays that are members, within the structure.
struct grid { int n; int cells[3][2]; int sum, last[2]; };
struct tail { int n; char b[2]; };
int cell(struct grid *g, int i) {
  return g->cells[i][0]; // fault of index_in_function
}
kernel void member_array_load(ARGS) {
  struct grid g = { n, { { 1, 2 }, { 3, 4 }, { 5, 6 } }, 7, { 8, 9 } };
  out[get_global_id(0)] = g.cells[get_global_id(0)][1]; // fault
}
kernel void member_array_store(ARGS) {
  struct grid g = { 0 };
  g.cells[get_global_id(0) - 1][0] = 1; // fault
  out[get_global_id(0)] = g.n;
}
kernel void member_array_in_padding(ARGS) {
  struct tail t = { n, { 1, 2 } };
  out[get_global_id(0)] = t.b[get_global_id(0)]; // fault
}
kernel void local_member_array(ARGS) {
  local struct grid g;
  if (get_local_id(0) == 0)
    g.cells[n - 13][0] = 1; // fault
}
kernel void index_in_function(ARGS) {
  struct grid g = { n, { { 1, 2 }, { 3, 4 }, { 5, 6 } }, 7, { 8, 9 } };
  out[get_global_id(0)] = cell(&g, get_global_id(0));
}
