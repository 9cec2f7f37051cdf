// Local memory: variables of the kernel, arguments, barriers.
__kernel void local_reduce(__global const float* in, __global float* out, __local float* scratch) {
  __local int count[4];
  __local float first;
  int l = get_local_id(0), g = get_global_id(0), size = get_local_size(0);
  if (l < 4) count[l] = 0;
  if (l == 0) first = in[g];
  scratch[l] = in[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&count[l & 3], l);
  for (int s = size / 2; s > 0; s >>= 1) {
    if (l < s) scratch[l] += scratch[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = scratch[0] + first + count[0] * 1000 + count[3];
}
