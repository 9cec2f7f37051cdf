// Collective functions of work-groups (OpenCL C 3.0, 6.15.16).
// options: -cl-std=CL3.0
// needs: __opencl_c_work_group_collective_functions

// kernel: arithmetic
// global: 24
// local: 12
// arg: in int 24 = (i * 7) % 12 - 3
// arg: out int 24 => 30
// arg: out int 24 => -3
// arg: out int 24 => 8
// arg: out int 24 => [-3, 1, 0, 6, 7, 15, 18, 16, 21, 21, 28, 30, -3, 1, 0, 6, 7, 15, 18, 16, 21, 21, 28, 30]
// arg: out int 24 => 0
// arg: out int 24 => 0
kernel void arithmetic(global const int *in, global int *sum, global int *least, global int *most, global int *scan,
                       global int *wrong, global int *wrong_limits) {
  int i = get_global_id(0), l = get_local_id(0), first = i - l;
  int x = in[i];
  sum[i] = work_group_reduce_add(x);
  least[i] = work_group_reduce_min(x);
  most[i] = work_group_reduce_max(x);
  scan[i] = work_group_scan_inclusive_add(x);
  int expected = 0, low = INT_MAX, high = INT_MIN;
  for (int k = 0; k < l; k++) { expected += in[first + k]; low = min(low, in[first + k]); high = max(high, in[first + k]); }
  wrong[i] = work_group_scan_exclusive_add(x) - expected;
  wrong_limits[i] = (work_group_scan_exclusive_min(x) != low) + (work_group_scan_exclusive_max(x) != high)
                  + (work_group_scan_inclusive_min(x) != min(low, x)) + (work_group_scan_inclusive_max(x) != max(high, x));
}

// kernel: other_types
// global: 8
// local: 8
// arg: out float 8 => i * (i + 1) / 4.0
// arg: out ulong 8 => 28 * 4294967296
// arg: out double 8 => [-1.0 / 0.0, 0, 1, 2, 3, 4, 5, 6]
// needs: cl_khr_fp64
kernel void other_types(global float *f, global ulong *u, global double *d) {
  int i = get_local_id(0);
  f[i] = work_group_scan_inclusive_add(i * 0.5f);
  u[i] = work_group_reduce_add((ulong)i << 32);
  d[i] = work_group_scan_exclusive_max((double)i);
}

// kernel: votes
// global: 4 3
// local: 4 3
// arg: out int 12 => 1
// arg: out int 12 => [0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0]
// arg: out uint 12 => 102
kernel void votes(global int *all, global int *some, global uint *cast) {
  int i = get_global_linear_id();
  all[i] = work_group_all(i + 1) && !work_group_all(i);
  int with = work_group_any(i == 11), without = work_group_any(i == 12);
  some[i] = (i & 3) == 0 ? without : (i & 3) == 3 ? !with : with;
  cast[i] = work_group_broadcast((uint)(get_local_id(0) + 100 * get_local_id(1)), 2, 1);
}
