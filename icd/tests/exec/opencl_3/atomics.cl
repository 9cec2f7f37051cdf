// The atomic functions of C11 (OpenCL C 3.0, 6.15.12), fences and barriers with a scope, and the linear ids (6.15.1).
// options: -cl-std=CL3.0

// kernel: groups
// global: 16
// local: 16
// arg: inout uint 8 = [0, 0, 0, 100, 0, 0xffff, 0, 32] => [16, 0xfffffff0, 15, 0, 0xffff, 0, 0, 47]
// arg: out uint 16 => 120
kernel void groups(global uint *out, global uint *sums) {
  uint n = get_local_linear_id();
  volatile global atomic_uint *a = (volatile global atomic_uint *)out;
  local atomic_uint sum;
  if (n == 0) atomic_init(&sum, 0u);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(&sum, n, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_add(a, 1u);
  atomic_fetch_sub_explicit(a + 1, 1u, memory_order_acq_rel);
  atomic_fetch_max_explicit(a + 2, n, memory_order_relaxed, memory_scope_device);
  atomic_fetch_min_explicit(a + 3, n, memory_order_seq_cst, memory_scope_device);
  atomic_fetch_or_explicit(a + 4, 1u << n, memory_order_release);
  atomic_fetch_and_explicit(a + 5, ~(1u << n), memory_order_acquire);
  atomic_fetch_xor(a + 6, 3u);
  atomic_fetch_add_explicit(a + 7, n == 3 ? 15u : 0u, memory_order_relaxed, memory_scope_all_devices);
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  sums[n] = atomic_load_explicit(&sum, memory_order_acquire, memory_scope_work_group);
}

// kernel: moves
// global: 1
// arg: inout int 8 = [5, 6, 7, 8, 9, 10, 0, 0] => [50, 60, 6, 8, 9, -1, 1, 0]
// arg: out float 4 => [1.5, 2.5, 2.5, 3.5]
kernel void moves(global int *o, global float *f) {
  volatile global atomic_int *a = (volatile global atomic_int *)o;
  atomic_store(a, 50);
  int old = atomic_exchange(a + 1, 60);
  atomic_store_explicit(a + 2, old, memory_order_release);
  old = atomic_load(a + 3);
  o[4] = atomic_load_explicit(a + 4, memory_order_acquire, memory_scope_device);
  if (old != 8) o[4] = 1000;
  atomic_fetch_min_explicit(a + 5, -1, memory_order_relaxed);
  volatile global atomic_flag *flag = (volatile global atomic_flag *)o + 6;
  bool first = atomic_flag_test_and_set(flag), second = atomic_flag_test_and_set_explicit(flag, memory_order_acquire);
  if (first || !second) o[4] = 1001;
  atomic_flag_clear(flag + 1);
  volatile global atomic_float *g = (volatile global atomic_float *)f;
  atomic_init(g, 1.5f);
  atomic_store(g + 1, 2.5f);
  float was = atomic_exchange_explicit(g + 1, 7.5f, memory_order_relaxed);
  atomic_store_explicit(g + 2, was, memory_order_relaxed, memory_scope_device);
  float expected = 7.5f;
  if (!atomic_compare_exchange_strong(g + 1, &expected, 2.5f)) o[4] = 1002;
  f[3] = atomic_load(g + 1) + 1;
}

// kernel: exchanges
// global: 1
// arg: inout uint 6 = [10, 20, 30, 40, 50, 60] => [11, 20, 30, 44, 50, 60]
// arg: out uint 8 => [1, 10, 0, 20, 0, 30, 1, 40]
// arg: inout uint 1 = 99 => 30
kernel void exchanges(global uint *o, global uint *out, global uint *seen) {
  volatile global atomic_uint *a = (volatile global atomic_uint *)o;
  uint e = 10;
  out[0] = atomic_compare_exchange_strong(a, &e, 11u); out[1] = e;
  e = 5;
  out[2] = atomic_compare_exchange_weak_explicit(a + 1, &e, 21u, memory_order_acq_rel, memory_order_relaxed); out[3] = e;
  out[4] = atomic_compare_exchange_strong_explicit(a + 2, seen, 31u, memory_order_relaxed, memory_order_relaxed,
                                                   memory_scope_work_group); out[5] = seen[0];
  local atomic_uint l; local uint want; uint got = 40;
  atomic_init(&l, 40u); want = 40;
  out[6] = atomic_compare_exchange_weak(&l, &want, 44u);
  out[7] = want; o[3] = atomic_load(&l);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_relaxed, memory_scope_work_item);
}

// kernel: long_atomics
// global: 8
// local: 8
// arg: inout ulong 3 = [0xfffffffff0, 1, 0x123456789ab] => [0xfffffffff8, 0x100000000, 5]
kernel void long_atomics(global ulong *o) {
  volatile global atomic_ulong *a = (volatile global atomic_ulong *)o;
  atomic_fetch_add(a, 1ul);
  atomic_fetch_max_explicit((volatile global atomic_size_t *)a + 1, (size_t)0x100000000, memory_order_relaxed);
  ulong expected = 0x123456789abul;
  atomic_compare_exchange_strong(a + 2, &expected, 5ul);
}

// kernel: linear
// global: 4 3 2
// local: 2 3 1
// offset: 5 7 9
// arg: out uint 24 => (i % 2) + 2 * ((i / 4) % 3)
// arg: out uint 24 => 203010
kernel void linear(global uint *local_id, global uint *sizes) {
  size_t n = get_global_linear_id();
  local_id[n] = get_local_linear_id();
  sizes[n] = get_enqueued_local_size(0) * 100000 + get_enqueued_local_size(1) * 1000 + get_enqueued_local_size(2) * 10;
}
