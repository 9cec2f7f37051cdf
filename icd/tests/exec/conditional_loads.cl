// Loads from addresses that all work-items share and that are only valid where a condition holds. A driver that executes them where
// no work-item is active accesses memory that does not exist.

// kernel: under_condition
// global: 64
// arg: out int 64 => 7
// arg: null
kernel void under_condition(global int *out, global const int *p) {
  int x = 7;
  if (p)
    x = p[0];
  out[get_global_id(0)] = x;
}

// kernel: under_two_conditions
// global: 64
// arg: out int 64 => i < 8 ? 3 : 7
// arg: in int 4 = i + 3
// arg: null
kernel void under_two_conditions(global int *out, global const int *p, global const int *q) {
  int x = 7;
  if (get_global_id(0) < 8) {
    x = p[0];
    if (q)
      x += q[1];
  }
  out[get_global_id(0)] = x;
}

// kernel: in_arms
// global: 64
// arg: out int 64 => 20
// arg: in int 4 = i + 20
// arg: value long = 17592186044416
kernel void in_arms(global int *out, global const int *p, long far) {
  int x;
  switch (far & 3) {
  case 0:
    x = p[0];
    break;
  case 1:
    x = p[far];
    break;
  default:
    x = p[-far];
  }
  out[get_global_id(0)] = x;
}

// The index that ends the list is that of no element.
//
// kernel: through_list
// global: 64
// arg: out int 64 => 28
// arg: in long 8 = i == 7 ? 17592186044416 : i + 1
kernel void through_list(global int *out, global const long *next) {
  int sum = 0;
  for (long i = 0; i != 17592186044416; i = next[i])
    sum += i;
  out[get_global_id(0)] = sum;
}

// kernel: after_two_breaks
// global: 64
// arg: out int 64 => 16
// arg: in long 8 = i == 5 ? 17592186044416 : i + 1
// arg: value int = 100
kernel void after_two_breaks(global int *out, global const long *next, int most) {
  int sum = 0;
  long i = 0;
  for (int k = 0;; k++) {
    if (k == most)
      break;
    sum += k;
    if (i == 17592186044416)
      break;
    i = next[i];
    if (i == 3)
      continue;
    if (i == 17592186044416)
      break;
    sum += next[i] == 17592186044416;
  }
  out[get_global_id(0)] = sum;
}

// kernel: from_local_memory
// global: 64
// local: 64
// arg: out int 64 => 5
// arg: local 256
// arg: value int = 268435456
//
// kernel: from_local_memory
// global: 64
// local: 64
// arg: out int 64 => 5
// arg: local 256
// arg: value int = 1073741000
//
// kernel: from_local_memory
// global: 64
// local: 64
// arg: out int 64 => 5
// arg: local 256
// arg: value int = 536870912
kernel void from_local_memory(global int *out, local int *l, int far) {
  l[get_local_id(0)] = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = 5;
  if (far < 64)
    x = l[far];
  out[get_global_id(0)] = x;
}

// kernel: of_many_widths
// global: 64
// arg: out int 64 => 9
// arg: null
// arg: null
// arg: null
kernel void of_many_widths(global int *out, global const char *p, global const short *q, global const long *r) {
  int x = 9;
  if (p)
    x = p[2];
  if (q)
    x += q[1];
  if (r)
    x += (int)r[1];
  out[get_global_id(0)] = x;
}

// kernel: after_return
// global: 64
// arg: out int 64 => 1
// arg: null
kernel void after_return(global int *out, global const int *p) {
  out[get_global_id(0)] = 1;
  if (!p)
    return;
  out[get_global_id(0)] = p[0] + p[1];
}
