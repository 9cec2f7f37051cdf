// In the style of generated scans: struct elements, segments, boundary loops.
typedef struct { int value; int flag; } scan_type;
#define WG 32
#define K 4
scan_type combine(scan_type a, scan_type b, bool across_seg_boundary) {
  scan_type r;
  r.value = across_seg_boundary ? b.value : a.value + b.value;
  r.flag = a.flag | b.flag;
  return r;
}
__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void scan(__global const int* in, __global int* out, int n, int interval_size) {
  __local scan_type ldata[K + 1][WG + 1];
  int lid = get_local_id(0);
  int base = get_group_id(0) * interval_size;
  scan_type carry = {0, 0};
  for (int unit = base; unit < min(base + interval_size, n); unit += WG * K) {
    for (int k = 0; k < K; k++) {
      int off = k * WG + lid;
      int i = unit + off;
      scan_type v;
      v.value = i < n ? in[i] : 0;
      v.flag = v.value % 11 == 0;
      ldata[off % K][off / K] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
      for (int j = 0; j < WG * K; j++) {
        scan_type v = ldata[j % K][j / K];
        carry = combine(carry, v, v.flag);
        ldata[j % K][j / K] = carry;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < K; k++) {
      int off = k * WG + lid;
      if (unit + off < n) out[unit + off] = ldata[off % K][off / K].value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
