// Follows memory.cl. The descriptor ABI cannot express this kernel, because buffers have no addresses there.
kernel void pointer_from_number(ARGS) {
  global int *p = (global int *)(ulong)(n * 4);
  out[get_global_id(0)] = *p; // fault
}
