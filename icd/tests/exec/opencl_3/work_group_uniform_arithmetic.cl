// Further collective functions of work-groups (cl_khr_work_group_uniform_arithmetic).
// options: -cl-std=CL3.0
// needs: cl_khr_work_group_uniform_arithmetic

// kernel: bits
// global: 24
// local: 12
// arg: in uint 24 = rnd(i) | 0x80000001
// arg: out int 24 => 0
kernel void bits(global const uint *in, global int *wrong) {
  int i = get_global_id(0), l = get_local_id(0), first = i - l;
  uint x = in[i];
  uint all[3] = {~0u, 0, 0}, before[3] = {~0u, 0, 0};
  for (int k = 0; k < 12; k++) {
    uint y = in[first + k];
    all[0] &= y; all[1] |= y; all[2] ^= y;
    if (k < l) { before[0] &= y; before[1] |= y; before[2] ^= y; }
  }
  int bad = work_group_reduce_and(x) != all[0];
  bad |= (work_group_reduce_or(x) != all[1]) << 1;
  bad |= (work_group_reduce_xor(x) != all[2]) << 2;
  bad |= (work_group_scan_exclusive_and(x) != before[0]) << 3;
  bad |= (work_group_scan_exclusive_or(x) != before[1]) << 4;
  bad |= (work_group_scan_exclusive_xor(x) != before[2]) << 5;
  bad |= (work_group_scan_inclusive_and(x) != (before[0] & x)) << 6;
  bad |= (work_group_scan_inclusive_or(x) != (before[1] | x)) << 7;
  bad |= (work_group_scan_inclusive_xor(x) != (before[2] ^ x)) << 8;
  ulong wide = (ulong)x << 32 | 1;
  bad |= (work_group_reduce_and(wide) != ((ulong)all[0] << 32 | 1)) << 9;
  wrong[i] = bad;
}

// kernel: products
// global: 6
// local: 6
// arg: out int 6 => 720
// arg: out int 6 => [1, 1, 2, 6, 24, 120]
// arg: out long 6 => [1, 2, 6, 24, 120, 720]
// arg: out float 6 => [0.125, 0.125, 0.25, 0.75, 3, 15]
kernel void products(global int *all, global int *before, global long *until, global float *f) {
  int i = get_local_id(0);
  all[i] = work_group_reduce_mul(i + 1);
  before[i] = work_group_scan_exclusive_mul(i + 1);
  until[i] = work_group_scan_inclusive_mul((long)i + 1);
  f[i] = work_group_scan_inclusive_mul(i == 0 ? 0.125f : (float)i);
}

// kernel: truth
// global: 4
// local: 4
// arg: in int 4 = [5, 0, 2, 8]
// arg: out int 4 => 2
// arg: out int 4 => [3, 2, 6, 2]
// arg: out int 4 => [5, 3, 2, 6]
kernel void truth(global const int *in, global int *all, global int *until, global int *before) {
  int i = get_local_id(0), x = in[i];
  all[i] = work_group_reduce_logical_and(x) | work_group_reduce_logical_or(x) << 1 | (work_group_reduce_logical_xor(x) ^ 1) << 2;
  until[i] = work_group_scan_inclusive_logical_and(x) | work_group_scan_inclusive_logical_or(x) << 1
           | (work_group_scan_inclusive_logical_xor(x) ^ 1) << 2;
  before[i] = (work_group_scan_exclusive_logical_and(x) != 0) | work_group_scan_exclusive_logical_or(x) << 1
            | (work_group_scan_exclusive_logical_xor(x) ^ 1) << 2;
}
