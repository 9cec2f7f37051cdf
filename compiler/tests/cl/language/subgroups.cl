// Functions of cl_khr_subgroups.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifndef cl_khr_subgroups // in SPIR-V 1.0
kernel void nothing(global uint *out) { *out = 1; }
#else
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void places(global uint *out) {
  global uint *o = out + 5 * get_global_id(0);
  for (uint i = 0; i < out[0]; i++)
    if (i & 1)
      o[i] = get_sub_group_size() + get_sub_group_id();
  o[0] = get_max_sub_group_size();
  o[1] = get_num_sub_groups() + get_enqueued_num_sub_groups();
  o[2] = get_sub_group_local_id();
}

#define EACH(name, T) kernel void name(global T *p) { \
    global T *o = p + get_global_id(0); T x = *o; \
    x += sub_group_reduce_add(x) + sub_group_reduce_min(x) + sub_group_reduce_max(x); \
    x += sub_group_scan_inclusive_add(x) + sub_group_scan_inclusive_min(x) + sub_group_scan_inclusive_max(x); \
    x += sub_group_scan_exclusive_add(x) + sub_group_scan_exclusive_min(x) + sub_group_scan_exclusive_max(x); \
    *o = x + sub_group_broadcast(x, 0); \
  }
EACH(of_int, int)
EACH(of_uint, uint)
EACH(of_long, long)
EACH(of_ulong, ulong)
EACH(of_half, half)
EACH(of_float, float)
EACH(of_double, double)

#define SHUFFLE(name, T) kernel void name(global T *p, uint i) { \
    global T *o = p + get_global_id(0); \
    *o = sub_group_shuffle(*o, i) + sub_group_shuffle_xor(*o, 1); \
  }
SHUFFLE(shuffle_char, char)
SHUFFLE(shuffle_ushort, ushort)
SHUFFLE(shuffle_int, int)
SHUFFLE(shuffle_ulong, ulong)
SHUFFLE(shuffle_half, half)
SHUFFLE(shuffle_float, float)
SHUFFLE(shuffle_double, double)

// As kernels for Intel's devices have it.
kernel void shuffle_vectors(global float8 *f, global int3 *i, uint item) {
  *f = intel_sub_group_shuffle(*f, item);
  *i = intel_sub_group_shuffle_xor(*i, 3);
}

kernel void votes(global int *p, local int *l) {
  l[get_local_id(0)] = p[0];
  sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (sub_group_all(l[0]) || sub_group_any(l[1] == 3))
    p[get_global_id(0)] = l[2];
}
#endif
