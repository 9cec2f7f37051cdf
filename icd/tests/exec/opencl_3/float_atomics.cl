// Atomic operations on floats (cl_ext_float_atomics), in global and local memory.
// needs: cl_ext_float_atomics
// options: -cl-std=CL3.0

#ifndef __opencl_c_ext_fp32_global_atomic_add
#error a feature is missing
#endif

// kernel: sums
// global: 64
// local: 16
// arg: inout float 4 = [1.5, 0, 3, -3] => [65.5, -2016, -1, 62]
// arg: out float 4 => 120
kernel void sums(global float *out, global float *of_group) {
  local atomic_float sum;
  uint n = get_global_id(0);
  volatile global atomic_float *a = (volatile global atomic_float *)out;
  if (get_local_id(0) == 0) atomic_init(&sum, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(a, 1.0f);
  atomic_fetch_sub_explicit(a + 1, (float)n, memory_order_relaxed);
  atomic_fetch_min_explicit(a + 2, (float)n - 1, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_max_explicit(a + 3, n % 2 ? -5.0f : (float)n, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(&sum, (float)get_local_id(0), memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) of_group[get_group_id(0)] = atomic_load(&sum);
}

// kernel: old_values
// global: 1
// arg: inout float 4 = [1, 2, 4, 8] => [3, -3, 0.5, 10]
// arg: out float 4 => [1, 2, 4, 8]
kernel void old_values(global float *o, global float *old) {
  volatile global atomic_float *a = (volatile global atomic_float *)o;
  old[0] = atomic_fetch_add(a, 2.0f);
  old[1] = atomic_fetch_sub(a + 1, 5.0f);
  old[2] = atomic_fetch_min(a + 2, 0.5f);
  old[3] = atomic_fetch_max(a + 3, 10.0f);
}

// A NaN loses against a number.
// kernel: nan
// global: 1
// arg: inout float 4 = [1, 2, 0, 0] => [1, 2, 5, 6]
kernel void nan(global float *o) {
  volatile global atomic_float *a = (volatile global atomic_float *)o;
  atomic_fetch_min(a, NAN);
  atomic_fetch_max(a + 1, NAN);
  o[2] = NAN;
  o[3] = NAN;
  atomic_fetch_min(a + 2, 5.0f);
  atomic_fetch_max(a + 3, 6.0f);
}
