// In the style of generated reductions, two stages in one file.
#define GROUP_SIZE 64
#define READ_AND_MAP(i) (x[i] * y[i])
#define REDUCE(a, b) (a + b)
typedef float out_type;
__kernel void reduce_stage1(__global out_type* out, __global const float* x, __global const float* y, uint seq_count, uint n) {
  __local out_type ldata[GROUP_SIZE];
  unsigned int lid = get_local_id(0);
  unsigned int i = get_group_id(0) * GROUP_SIZE * seq_count + lid;
  out_type acc = 0;
  for (unsigned s = 0; s < seq_count; ++s) {
    if (i >= n) break;
    acc = REDUCE(acc, READ_AND_MAP(i));
    i += GROUP_SIZE;
  }
  ldata[lid] = acc;
  barrier(CLK_LOCAL_MEM_FENCE);
#define STEP(no_sync, size) \
  if (lid < size) { ldata[lid] = REDUCE(ldata[lid], ldata[lid + size]); } \
  barrier(CLK_LOCAL_MEM_FENCE);
  STEP(, 32) STEP(, 16) STEP(, 8) STEP(, 4) STEP(, 2) STEP(, 1)
  if (lid == 0) out[get_group_id(0)] = ldata[0];
}
