// Loops whose test is at the end, as LLVM makes them of all loops, with numbers of iterations that are known at run time; some have none.
// kernel: counts
// global: 40
// arg: in int 40 = i + 1
// arg: out int 40 => i < 2 ? 0 : (i - 2) * (i - 1) / 2
// arg: value int = 2
kernel void counts(global const int *in, global int *out, int less) {
  int n = (int)get_global_id(0) - less, sum = 0, k = 0;
  if (k < n) {
    do {
      sum += in[k];
      k++;
    } while (k < n);
  }
  out[get_global_id(0)] = sum;
}
// The test compares for equality, and the counter has 64 bits.
// kernel: equal
// global: 40
// arg: in uint 40 = i + 1
// arg: out uint 40 => i * (i + 1) / 2
kernel void equal(global const uint *in, global uint *out) {
  size_t n = get_global_id(0);
  uint sum = 0;
  for (size_t k = 0; k != n; k++) sum += in[k];
  out[n] = sum;
}
// What leaves the loop is no value that goes on: the last product, and the counter before the last step.
// kernel: last_values
// global: 40
// arg: in int 40 = i * 2
// arg: out int 40 => i < 4 ? -7 : (3 + (i - 4) / 2 * 2) * 2 * (3 + (i - 4) / 2 * 2 + 1) + (3 + (i - 4) / 2 * 2) * 10000 + ((i - 4) / 2 + 1) * (6 + (i - 4) / 2 * 2)
kernel void last_values(global const int *in, global int *out) {
  int n = get_global_id(0), last = -7, before = 0, k = 3, sum = 0;
  if (k < n) {
    do {
      sum += in[k];
      last = in[k] * (k + 1);
      before = k;
      k += 2;
    } while (k < n);
  }
  out[n] = last + before * 10000 + sum;
}
// At least one iteration, whatever the bound is.
// kernel: at_least_one
// global: 20
// arg: in int 20 = i + 1
// arg: out int 20 => i < 6 ? 1 : (i - 5) * (i - 4) / 2
kernel void at_least_one(global const int *in, global int *out) {
  int n = (int)get_global_id(0) - 5, sum = 0, k = 0;
  do {
    sum += in[k];
    k++;
  } while (k < n);
  out[get_global_id(0)] = sum;
}
// The branch around the loop compares signed numbers, and the loop unsigned ones.
// kernel: other_order
// global: 20
// arg: in int 1 = 1
// arg: out int 20 => i < 3 ? 0 : i == 4 ? 2 : 1
// arg: value int = -3
kernel void other_order(global const int *in, global int *out, int first) {
  int n = (int)get_global_id(0) - 5, count = 0;
  if (first < n) {
    uint k = first;
    do {
      count += in[0];
      k++;
    } while (k < (uint)n);
  }
  out[get_global_id(0)] = count;
}
// Two ways out of the loop, and a step that is known at run time; the inner loop depends on the counter of the outer one.
// kernel: two_exits
// global: 30
// arg: in int 64 = i
// arg: out int 30 => (i < 20 ? i : 20) * ((i < 20 ? i : 20) - 1) / 2
// arg: value int = 20
// arg: value int = 1
kernel void two_exits(global const int *in, global int *out, int n, int step) {
  int g = get_global_id(0), sum = 0;
  for (int k = 0; k < n; k += step) {
    if (in[k] >= g) break;
    for (int j = k; j < 2 * k; j++) sum += in[j] == j;
  }
  out[g] = sum;
}
// Constant bounds, of which the test compares the present value, and a bound that is a number of 32 bits.
// kernel: constant_bounds
// global: 8
// arg: in int 100 = i
// arg: out long 8 => 4950 + i * (i - 1) / 2 * 100
kernel void constant_bounds(global const int *in, global long *out) {
  int g = get_global_id(0);
  long sum = 0;
  for (int k = 0; k < 100; k++) sum += in[k];
  for (long k = 0; k < g; k++) sum += in[k] * 100L;
  out[g] = sum;
}
