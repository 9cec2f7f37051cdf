// options: -cl-std=CL3.0
// device: 3.1
// without: cl_ext_float_atomics
kernel void k(global atomic_float *f) {
  float old = atomic_exchange(f, 2.0f);
  atomic_fetch_add(f, old);
}
