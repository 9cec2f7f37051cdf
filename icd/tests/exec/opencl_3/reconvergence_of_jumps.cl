// Which work-items of a sub-group are active together in loops that are written with `goto`: the statements from a label to the last jump
// back to it are a loop, and a jump out of it is like a `break`.
// options: -cl-std=CL3.1
// needs: __opencl_c_subgroups

// A number for each work-item; the sums of different sets are different.
#define NUMBER(k) ((k) * (k) * (k) * 5u + (k) * 3u + 1u)
#define ACTIVE sub_group_non_uniform_reduce_add(NUMBER(item))
#define ALL_ITEMS sub_group_reduce_add(NUMBER(item))

// The sum over the work-items k of the sub-group for which a condition holds.
#define SUM(k, condition) ({ uint sum_ = 0; for (uint k = 0; k < size; k++) if (condition) sum_ += NUMBER(k); sum_; })

// A number of 0 to 7 that differs between neighbours.
#define KEY(k) (((k) * 11u + 3u) / 2u % 8u)

#define COMMON \
  uint item = get_sub_group_local_id(), size = get_sub_group_size(), wrong = 0; \
  uint key = KEY(item);

// The jump out of the loop is in its middle, with statements before it.
// kernel: out_of_loops
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void out_of_loops(global uint *out) {
  COMMON
  uint n = 0;
again:
  if (n == key) {
    wrong |= ACTIVE != SUM(k, KEY(k) == n);
    if (key & 1) wrong |= (ACTIVE != SUM(k, KEY(k) == n)) << 1;
    goto out;
  }
  wrong |= (ACTIVE != SUM(k, KEY(k) > n)) << 2;
  if (++n < 6) goto again;
  wrong |= (ACTIVE != SUM(k, KEY(k) >= 6)) << 3;
out:
  wrong |= (ALL_ITEMS != SUM(k, true)) << 4;
  out[get_global_id(0)] = wrong;
}

// A loop within a loop, jumps out of both, and two jumps back, of which the first is like a `continue`.
// kernel: nested_loops
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void nested_loops(global uint *out) {
  COMMON
  uint outer = 0, inner;
next_outer:
  inner = 0;
next_inner:
  if (outer * 4 + inner == key) {
    wrong |= ACTIVE != SUM(k, KEY(k) == outer * 4 + inner);
    goto found;
  }
  if (key == 7 && inner == 2) {
    wrong |= (ACTIVE != SUM(k, KEY(k) == 7)) << 1;
    goto leave_inner;
  }
  inner++;
  if (inner & 1) goto next_inner;
  wrong |= (ACTIVE != SUM(k, KEY(k) >= outer * 4 + inner && (KEY(k) != 7 || inner < 3))) << 2;
  if (inner < 4) goto next_inner;
leave_inner:
  wrong |= (ACTIVE != SUM(k, KEY(k) >= outer * 4 + 4 || KEY(k) == 7)) << 3;
  if (++outer < 2) goto next_outer;
  wrong |= (ACTIVE != SUM(k, KEY(k) == 7)) << 4;
found:
  wrong |= (ALL_ITEMS != SUM(k, true)) << 5;
  out[get_global_id(0)] = wrong;
}

// A loop of jumps in a `for` loop, and a `for` loop in a loop of jumps, each left by a jump that follows other statements.
// kernel: mixed_loops
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void mixed_loops(global uint *out) {
  COMMON
  for (uint half_ = 0; half_ < 2; half_++) {
    uint n = 0;
  again:
    if (half_ * 4 + n == key) {
      wrong |= ACTIVE != SUM(k, KEY(k) == half_ * 4 + n);
      goto next_half;
    }
    if (++n < 4) goto again;
    wrong |= (ACTIVE != SUM(k, KEY(k) / 4 != half_)) << 1;
  next_half:
    wrong |= (ALL_ITEMS != SUM(k, true)) << 2;
  }
  uint m = 0;
repeat_:
  for (uint n = 0; n < 4; n++) {
    if (m * 4 + n == key) {
      wrong |= (ACTIVE != SUM(k, KEY(k) == m * 4 + n)) << 3;
      goto done;
    }
  }
  wrong |= (ACTIVE != SUM(k, KEY(k) / 4 > m)) << 4;
  if (++m < 2) goto repeat_;
  wrong |= 1u << 31;
done:
  wrong |= (ALL_ITEMS != SUM(k, true)) << 5;
  out[get_global_id(0)] = wrong;
}
