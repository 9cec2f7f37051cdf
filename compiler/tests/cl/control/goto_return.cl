// goto out of nested loops, with a return on the way.
int find(__global const int* m, int rows, int cols, int wanted) {
  int r, c;
  for (r = 0; r < rows; ++r) {
    for (c = 0; c < cols; ++c) {
      if (m[r * cols + c] == wanted) goto found;
      if (m[r * cols + c] > 1000) return -2;
    }
  }
  return -1;
found:
  return r * 100 + c;
}
__kernel void goto_return(__global const int* m, __global int* out, int rows, int cols) {
  int gid = get_global_id(0);
  int x = find(m, rows, cols, gid);
  if (x < 0) goto bad;
  out[gid] = x;
  return;
bad:
  out[gid] = x - gid;
}
