// options: -cl-std=CL3.0
// device: 3.1
// without: __opencl_c_ext_fp64_local_atomic_add __opencl_c_ext_fp32_global_atomic_min_max
// The operations of cl_ext_float_atomics that the device does not have, and those that floats never have.
kernel void k(global atomic_float *f, global atomic_double *d, local atomic_double *l) {
  atomic_fetch_add(f, 1.0f);
  atomic_fetch_min(f, 1.0f);
  atomic_fetch_or(f, 1.0f);
  atomic_fetch_sub(d, 1.0);
  atomic_fetch_add(l, 1.0);
  atomic_double *p = d;
  atomic_fetch_sub(p, 1.0);
  atomic_fetch_max(p, 1.0);
}
