// Atomic operations on private memory, by pointers whose space is known and by others.
// needs: __opencl_c_generic_address_space
// options: -cl-std=CL3.0

int step(volatile atomic_int *a, int by) { return atomic_fetch_add_explicit(a, by, memory_order_relaxed); }

// kernel: known
// global: 16
// arg: out int 16 => i * 2 + 1
kernel void known(global int *own) {
  int n = get_global_id(0);
  atomic_int mine;
  atomic_init(&mine, n);
  int old = step(&mine, n + 1);
  own[n] = atomic_load(&mine) + (old - n);
}

// kernel: several
// global: 16
// arg: inout int 1 = [5] => [21]
// arg: out int 16 => i * 2 + (i % 2 ? 4 : 0)
kernel void several(global int *shared, global int *own) {
  int n = get_global_id(0);
  atomic_int mine;
  atomic_init(&mine, n);
  volatile atomic_int *a = n % 2 ? (volatile atomic_int *)&mine : (volatile atomic_int *)shared;
  step(a, 2);
  if (n % 2) atomic_fetch_max(a, 2 * n + 4);
  own[n] = n % 2 ? atomic_load(a) : 2 * n;
}
