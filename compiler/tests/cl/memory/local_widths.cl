// Local memory that is accessed with several widths, beside variables that are accessed with one.
kernel void k(global uint *out, local half *halves, local float4 *vectors, uint n) {
  local uint words[64];
  local float tile[64];
  local ulong wide[4];
  uint l = get_local_id(0);
  words[l] = n;
  ((local uchar *)words)[l] = 1;
  ((local ushort *)words)[l + 1] = 2;
  tile[l] = n;
  wide[l & 3] = n;
  atomic_inc((local uint *)wide + 1);
  vstore_half(tile[l], l, halves);
  vectors[l] = (float4)(tile[l]);
  ((local uchar4 *)vectors)[l] = (uchar4)(1);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = words[63 - l] + (uint)tile[63 - l] + (uint)wide[l & 3] + ((local uint *)vectors)[l] +
           (uint)vload_half(63 - l, halves);
}
// A second kernel, whose arena has one type.
kernel void plain(global int *out, local int *a) {
  local char b[64];
  a[get_local_id(0)] = 1;
  b[get_local_id(0)] = 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = a[63 - get_local_id(0)] + b[63 - get_local_id(0)];
}
