// Atomic operations on doubles (cl_ext_float_atomics), in global and local memory.
// needs: __opencl_c_ext_fp64_local_atomic_min_max
// options: -cl-std=CL3.0

// kernel: doubles
// global: 32
// local: 32
// arg: inout double 5 = [0.5, 0, 3, -3, 0] => [32.5, -496, -1, 31, 496]
kernel void doubles(global double *out) {
  local atomic_double sum;
  uint n = get_local_id(0);
  volatile global atomic_double *a = (volatile global atomic_double *)out;
  if (n == 0) atomic_init(&sum, 0.0);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(a, 1.0);
  atomic_fetch_sub(a + 1, (double)n);
  atomic_fetch_min(a + 2, n - 1.0);
  atomic_fetch_max(a + 3, (double)n);
  atomic_fetch_add(&sum, (double)n);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n == 0) out[4] = atomic_load(&sum);
}
