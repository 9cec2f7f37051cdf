// Atomic operations on floats by generic pointers.
// needs: cl_ext_float_atomics
// needs: __opencl_c_generic_address_space
// options: -cl-std=CL3.0

float step(volatile atomic_float *a, float by) { return atomic_fetch_add_explicit(a, by, memory_order_relaxed); }

// kernel: anywhere
// global: 16
// local: 16
// arg: inout float 2 = [1, 2] => [73, 14]
// arg: out float 16 => i * 2 + 1
kernel void anywhere(global float *out, global float *own) {
  local atomic_float sum;
  uint n = get_local_id(0);
  if (n == 0) atomic_init(&sum, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  volatile atomic_float *a = n % 4 == 0 ? (volatile atomic_float *)&sum : (volatile atomic_float *)out;
  step(a, n % 4 == 0 ? (float)n : 6.0f);
  atomic_float mine;
  atomic_init(&mine, (float)n);
  float old = step(&mine, n + 1.0f);
  own[n] = atomic_load(&mine) + (old - n);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (n == 0) out[1] = atomic_load(&sum) - 10.0f;
}
