// The clocks of cl_khr_kernel_clock go forward, and both forms read the same clock.
// needs: cl_khr_kernel_clock
// needs: __opencl_c_kernel_clock_scope_sub_group
// options: -cl-std=CL3.0

#if !defined(__opencl_c_kernel_clock_scope_device) || !defined(__opencl_c_kernel_clock_scope_work_group)
#error a feature is missing
#endif

bool is_later(ulong a, ulong b) { return b - a < 1ul << 62; }

// kernel: forward
// global: 64
// local: 16
// arg: out int 64 => 7
kernel void forward(global int *out) {
  ulong device = clock_read_device(), group = clock_read_work_group(), sub_group = clock_read_sub_group();
  barrier(CLK_LOCAL_MEM_FENCE);
  int found = is_later(device, clock_read_device()) ? 1 : 0;
  found |= is_later(group, clock_read_work_group()) ? 2 : 0;
  found |= is_later(sub_group, clock_read_sub_group()) ? 4 : 0;
  out[get_global_id(0)] = found;
}

// kernel: pairs
// global: 64
// local: 16
// arg: out int 64 => 7
kernel void pairs(global int *out) {
  ulong device = clock_read_device(), group = clock_read_work_group(), sub_group = clock_read_sub_group();
  barrier(CLK_LOCAL_MEM_FENCE);
  uint2 d = clock_read_hilo_device(), g = clock_read_hilo_work_group(), s = clock_read_hilo_sub_group();
  int found = is_later(device, (ulong)d.hi << 32 | d.lo) ? 1 : 0;
  found |= is_later(group, (ulong)g.hi << 32 | g.lo) ? 2 : 0;
  found |= is_later(sub_group, (ulong)s.hi << 32 | s.lo) ? 4 : 0;
  out[get_global_id(0)] = found;
}
