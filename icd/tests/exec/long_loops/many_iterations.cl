// A loop with more iterations than llvmpipe executes of one loop.
// kernel: many_iterations
// global: 20
// arg: value uint = 300000
// arg: out uint 20 => 300000 - i + 900
kernel void many_iterations(uint n, global uint *out) {
  uint sum = 0, skipped = 0;
  for (uint k = get_global_id(0); k < n; k++) {
    if (k * 2654435761u == 7)
      continue;
    if (k == 0xffffffff)
      break;
    sum += k < n;
    out[get_global_id(0)] = sum;
  }
  for (uint y = 0; y < 30; y++)
    for (uint x = 0; x < 30; x++)
      sum += (x ^ y) < n;
  out[get_global_id(0)] = sum;
}
