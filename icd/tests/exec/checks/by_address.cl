// Follows memory.cl. The descriptor ABI cannot express this kernel, because buffers have no addresses there.
kernel void pointer_from_number(ARGS) {
  global int *p = (global int *)(ulong)(n * 4);
  out[get_global_id(0)] = *p; // fault
}
kernel void misaligned_in_record(ARGS) {
  struct list one[2] = { { out, n }, { out, n } };
  one[n & 1].first = (global int *)((ulong)out + n + 1);
  *one[n & 1].first = 1; // fault
}
