// Pointers that one work-item stores as numbers, and another one takes.

// kernel: stored_pointers
// local: 16
// global: 16
// arg: inout ulong 16 = 0 => 1
// arg: in int 64 = i * i
// arg: out int 16 => (3 * i) * (3 * i) + 1
kernel void stored_pointers(global ulong *cells, global const int *in, global int *out) {
  int i = get_global_id(0);
  local ulong exchange[16];
  cells[i] = (ulong)(in + 3 * i);
  exchange[15 - i] = (ulong)(out + i);
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  global const int *from = (global const int *)cells[15 - i];
  global int *to = (global int *)exchange[i];
  *to = *from + 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  cells[i] = 1;
}
