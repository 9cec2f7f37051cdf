// As conditional_loads.cl, with an address that comes from memory.

// kernel: through_list_of_pointers
// global: 64
// arg: out int 64 => 1
// arg: null
kernel void through_list_of_pointers(global int *out, global const ulong *list) {
  int count = 1;
  while (list) {
    count += 2;
    list = (global const ulong *)list[0];
  }
  out[get_global_id(0)] = count;
}
