// Kernels without faults, some of them with what looks like a race. The test launches them with 64 work-items in groups of 16:
// `out` has 256 elements, `in` too, in[i] is i, and `l` has 64.

#define ARGS global int *out, global const int *in, local int *l

#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

typedef struct { int a; char b[3]; } record;

kernel void one_element_each(ARGS) {
  out[get_global_id(0)] = in[get_global_id(0)] + out[get_global_id(0)];
}
kernel void sum_by_halves(ARGS) {
  int i = get_local_id(0);
  l[i] = in[get_global_id(0)];
  for (int k = get_local_size(0) / 2; k > 0; k /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < k) l[i] += l[i + k];
  }
  if (i == 0) out[get_group_id(0)] = l[0];
}
kernel void neighbouring_bytes(ARGS) {
  global char *bytes = (global char *)out;
  local char *own = (local char *)l;
  bytes[get_global_id(0)] = get_global_id(0);
  own[get_local_id(0)] = 1;
}
kernel void packed_vectors(ARGS) {
  vstore3(vload3(get_global_id(0), in), get_global_id(0), out);
}
kernel void copied_records(ARGS) {
  global record *records = (global record *)out;
  record own = {1, {2, 3, 4}};
  records[get_global_id(0)] = own;
}
kernel void counters(ARGS) {
  if (get_local_id(0) < 4) l[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&l[get_local_id(0) & 3]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < 4) atomic_add(&out[get_local_id(0)], l[get_local_id(0)]);
}
kernel void same_value(ARGS) {
  local int any;
  any = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) > 3) any = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (any) out[0] = 7;
  l[0] = 5;
}
float sum(volatile global float *to, float by) {
  union { int bits; float value; } before, after;
  do {
    before.value = *to;
    after.value = before.value + by;
  } while (atomic_cmpxchg((volatile global int *)to, before.bits, after.bits) != before.bits);
  return before.value;
}
kernel void float_sum(ARGS) {
  sum((volatile global float *)out, 1.0f);
}
kernel void compare_and_exchange(ARGS) {
  int seen = out[8], before;
  while ((before = atomic_cmpxchg(out + 8, seen, seen + 1)) != seen) seen = before;
}
kernel void last_group(ARGS) {
  local int ticket;
  out[16 + get_global_id(0)] = get_global_id(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) ticket = atomic_inc(out);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ticket == (int)get_num_groups(0) - 1 && get_local_id(0) == 0) {
    int total = 0;
    for (int k = 0; k < 64; k++) total += out[16 + k];
    out[1] = total;
  }
}
kernel void global_memory_of_group(ARGS) {
  int i = get_global_id(0);
  out[i] = i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  int x = out[i ^ 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = x;
}
kernel void fences_and_barriers(ARGS) {
  out[get_global_id(0)] = 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE);
  l[get_local_id(0)] = out[get_global_id(0) ^ 1];
}
kernel void many_barriers(ARGS) {
  int i = get_local_id(0);
  l[i] = i;
  for (int k = 0; k < 1500; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = l[i ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    l[i] = x;
  }
}
kernel void volatile_flag(ARGS) {
  volatile global int *flag = out;
  if (get_global_id(0) == 63) *flag = 1;
  else if (*flag > 1) out[1] = 2;
}
kernel void copies_of_group(ARGS) {
  event_t done = async_work_group_copy(l, in + 16 * get_group_id(0), 16, 0);
  wait_group_events(1, &done);
  l[16 + get_local_id(0)] = l[15 - get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  done = async_work_group_copy(out + 16 * get_group_id(0), l + 16, 16, 0);
  wait_group_events(1, &done);
}
// Accesses whose alignment is that of their elements, or which the compiler cannot prove.
struct __attribute__((packed)) odd { char a; int b; short c; };
kernel void elements_of_vectors(ARGS) {
  int i = get_global_id(0);
  int4 v = vload4(i & 31, in + (i & 3));
  vstore2(v.xw, 0, out + 3 * i + 1);
}
kernel void packed_records(ARGS) {
  global const struct odd *list = (global const struct odd *)((global const char *)in + 1);
  struct odd one = list[get_global_id(0)];
  out[get_global_id(0)] = one.b + list[1].c + ((global const uchar *)in)[get_global_id(0)];
}
kernel void aligned_by_chance(ARGS) {
  int i = get_global_id(0), step = out[64] + 4;
  global const char *bytes = (global const char *)in;
  out[i] = *(global const int *)(bytes + step * (i & 3)) + ((global const int4 *)(in + step))->x;
}
kernel void walking_vectors(ARGS) {
  int2 total = 0;
  for (global const int2 *p = (global const int2 *)in; p < (global const int2 *)(in + 64); p++) total += *p;
  local int4 *pairs = (local int4 *)(l + 4 * get_local_id(0));
  *pairs = total.xyxy;
  out[get_global_id(0)] = pairs->s2;
}
event_t copy_half(local int *to, global const int *from, event_t e) { return async_work_group_copy(to, from, 8, e); }
kernel void events_of_copies(ARGS) {
  event_t e[4];
  e[0] = async_work_group_copy(l, in, 8, 0);
  async_work_group_copy(l + 8, in + 8, 8, e[0]);
  e[1] = e[0];
  e[2] = async_work_group_strided_copy(l + 16, in, 16, 2, 0);
  e[3] = e[2];
  wait_group_events(4, e);
  event_t both = 0;
  for (int k = 0; k < 2; k++) both = copy_half(l + 32 + 8 * k, in + 8 * k, both);
  wait_group_events(1, &both);
  for (int k = 0; k < 3; k++) {
    event_t next = async_work_group_copy(l + 48, in + 16 * k, 16, 0);
    wait_group_events(1, &next);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = l[get_local_id(0)] + l[48 + get_local_id(0)];
}
// Indices of members.
struct list_of { int n; int own[1]; int more[3]; };
union parts { struct { int x, y; }; int both[2]; int all[4]; };
struct buffers { int first[2][2], second[2]; };
kernel void indices_of_members(ARGS) {
  int i = get_global_id(0);
  struct list_of list = { 1, { 2 }, { 3, 4, 5 } };
  union parts p = { .all = { 1, 2, 3, 4 } };
  struct buffers b = { { { 1, 2 }, { 3, 4 } }, { 5, 6 } };
  int *end = &b.first[2][0], total = 0;
  for (int *q = b.first[0]; q != end; q++) total += *q;
  // Beyond an array of one element, and an inner array, within the outer one.
  total += list.own[i & 3] + b.first[0][i & 3];
  total += i < 2 ? b.second[i] : p.all[i & 3];
  if (i < 3 && list.more[i] > 3) total++;
  total += i < 3 && list.more[i] ? list.more[i] : 0;
  local struct list_of *shared = (local struct list_of *)l;
  if (get_local_id(0) == 0) shared->more[4] = total;
  out[i] = total;
}
