// Which work-items of a sub-group are active together, in and after control flow in which they take different ways. Each
// result depends on the set of active work-items, and is compared with one that is computed from the conditions of all.
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

// kernel: branches
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void branches(global uint *out) {
  COMMON
  uint way = 0;
  if (key & 1) {
    if (key & 2) {
      way = 1;
      wrong |= ACTIVE != SUM(k, (KEY(k) & 3) == 3);
    } else if (key & 4) {
      way = 2;
      wrong |= (ACTIVE != SUM(k, (KEY(k) & 7) == 5)) << 1;
    } else {
      way = 3;
    }
    wrong |= (ACTIVE != SUM(k, KEY(k) & 1)) << 2;
  } else {
    wrong |= (ACTIVE != SUM(k, !(KEY(k) & 1))) << 3;
    if (key > 2) {
      way = 4;
      wrong |= (sub_group_non_uniform_scan_inclusive_add(NUMBER(item)) != SUM(k, !(KEY(k) & 1) && KEY(k) > 2 && k <= item)) << 4;
    }
  }
  wrong |= (ALL_ITEMS != SUM(k, true)) << 5;
  wrong |= (sub_group_any(way == 3) != (SUM(k, KEY(k) == 1) != 0)) << 6;
  if (key > 1 && sub_group_non_uniform_any(key == 6)) wrong |= (ACTIVE != SUM(k, KEY(k) > 1)) << 7;
  uint chosen = key < 3 ? ACTIVE : ACTIVE * 2;
  wrong |= (chosen != (key < 3 ? SUM(k, KEY(k) < 3) : SUM(k, KEY(k) >= 3) * 2)) << 8;
  bool both = key > 2 || ACTIVE == SUM(k, KEY(k) <= 2);
  wrong |= !both << 9;
  out[get_global_id(0)] = wrong;
}

// kernel: loops
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void loops(global uint *out) {
  COMMON
  for (uint n = 0; n < key; n++) wrong |= ACTIVE != SUM(k, KEY(k) > n);
  wrong |= (ALL_ITEMS != SUM(k, true)) << 1;
  uint n = 0;
  do {
    n++;
    if (n == key) continue;
    wrong |= (ACTIVE != SUM(k, KEY(k) != n && (n == 1 || KEY(k) + 2 >= n))) << 2;
  } while (n < key + 2);
  wrong |= (ALL_ITEMS != SUM(k, true)) << 3;
  for (n = 0;; n++) {
    if (n > 2) {
      if (n == key) break;
      if (n == key + 3) break;
    }
    wrong |= (ACTIVE != SUM(k, KEY(k) > n || n < 3 || (KEY(k) < 3 && KEY(k) + 3 > n))) << 4;
  }
  wrong |= (ALL_ITEMS != SUM(k, true)) << 5;
  uint total = 0;
  for (uint outer = 0; outer < (key & 3); outer++) {
    for (uint inner = 0; inner < 4; inner++) {
      if (inner == key / 2) break;
      if (inner == 1) continue;
      total += inner;
      wrong |= (ACTIVE != SUM(k, outer < (KEY(k) & 3) && inner < KEY(k) / 2)) << 6;
    }
    wrong |= (ACTIVE != SUM(k, outer < (KEY(k) & 3))) << 7;
  }
  wrong |= (ALL_ITEMS != SUM(k, true)) << 8;
  out[get_global_id(0)] = wrong;
}

// kernel: before_breaks
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void before_breaks(global uint *out) {
  COMMON
  for (uint n = 0;; n++) {
    if (n == key) {
      wrong |= ACTIVE != SUM(k, KEY(k) == n);
      break;
    }
    if (n == 9) break;
  }
  wrong |= (ALL_ITEMS != SUM(k, true)) << 1;
  // Each distinct number once, with all work-items that have it.
  uint rounds = 0;
  for (;;) {
    rounds++;
    uint first = sub_group_broadcast_first(key);
    if (first == key) {
      wrong |= (ACTIVE != SUM(k, KEY(k) == key)) << 2;
      wrong |= (sub_group_elect() != (SUM(k, k < item && KEY(k) == key) == 0)) << 3;
      break;
    }
  }
  wrong |= (rounds > 8) << 4;
  wrong |= (ALL_ITEMS != SUM(k, true)) << 5;
  out[get_global_id(0)] = wrong;
}

uint early(uint key, uint item, uint size) {
  if (key == 2) return 7;
  uint wrong = ACTIVE != SUM(k, KEY(k) != 2);
  for (uint n = 0; n < 8; n++) {
    if (n == key) return wrong;
    if (n > 3) wrong |= (ACTIVE != SUM(k, KEY(k) > n)) << 1;
  }
  return wrong;
}

uint often(uint key, uint item, uint size) {
  if (key & 1) return ACTIVE;
  return ACTIVE * 3;
}

// kernel: functions
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void functions(global uint *out) {
  COMMON
  uint r = early(key, item, size);
  wrong |= r != (key == 2 ? 7 : 0);
  wrong |= (ALL_ITEMS != SUM(k, true)) << 1;
  if (key < 6) {
    r = often(key, item, size);
    wrong |= (r != (key & 1 ? SUM(k, KEY(k) < 6 && KEY(k) & 1) : 3 * SUM(k, KEY(k) < 6 && !(KEY(k) & 1)))) << 2;
    wrong |= (ACTIVE != SUM(k, KEY(k) < 6)) << 3;
  }
  out[get_global_id(0)] = wrong;
  if (key == 5) return;
  if (ACTIVE != SUM(k, KEY(k) != 5)) out[get_global_id(0)] |= 16;
  if (key == 1) return;
  if (ACTIVE != SUM(k, KEY(k) != 5 && KEY(k) != 1)) out[get_global_id(0)] |= 32;
}

// kernel: switches
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void switches(global uint *out) {
  COMMON
  switch (key) {
    case 0:
    case 4:
    case 5:
      wrong |= ACTIVE != SUM(k, KEY(k) == 0 || KEY(k) == 4 || KEY(k) == 5);
      break;
    case 1:
      wrong |= (ACTIVE != SUM(k, KEY(k) == 1)) << 1;
      break;
    default: wrong |= (ACTIVE != SUM(k, KEY(k) == 2 || KEY(k) == 3 || KEY(k) > 5)) << 2;
  }
  wrong |= (ALL_ITEMS != SUM(k, true)) << 3;
  for (uint n = 0; n < 3; n++) {
    switch (key + n) {
      case 1: wrong |= (ACTIVE != SUM(k, KEY(k) + n == 1)) << 4;
      case 2:
      case 3: wrong |= (ACTIVE != SUM(k, KEY(k) + n >= 1 && KEY(k) + n <= 3)) << 5; break;
      case 4 ... 6:
        if (key == 3) continue;
        wrong |= (ACTIVE != SUM(k, KEY(k) != 3 && KEY(k) + n >= 4 && KEY(k) + n <= 6)) << 6;
      default:
        wrong |= (ACTIVE != SUM(k, KEY(k) + n == 0 || KEY(k) + n > 6 || (KEY(k) != 3 && KEY(k) + n >= 4 && KEY(k) + n <= 6))) << 7;
    }
    wrong |= (ACTIVE != SUM(k, KEY(k) != 3 || KEY(k) + n < 4 || KEY(k) + n > 6)) << 8;
  }
  wrong |= (ALL_ITEMS != SUM(k, true)) << 9;
  out[get_global_id(0)] = wrong;
}

// kernel: jumps
// global: 48
// local: 24
// arg: out uint 48 => 0
kernel void jumps(global uint *out) {
  COMMON
  uint n = 0;
  if (key == 3) goto after;
  wrong |= ACTIVE != SUM(k, KEY(k) != 3);
  if (key > 4) goto after;
  wrong |= (ACTIVE != SUM(k, KEY(k) < 3 || KEY(k) == 4)) << 1;
after:
  wrong |= (ALL_ITEMS != SUM(k, true)) << 2;
again:
  n++;
  wrong |= (ACTIVE != SUM(k, KEY(k) + 1 >= n)) << 3;
  if (n <= key) goto again;
  wrong |= (ALL_ITEMS != SUM(k, true)) << 4;
  for (uint outer = 0; outer < 3; outer++) {
    for (uint inner = 0; inner < 4; inner++) {
      if (outer * 4 + inner == key + 1) {
        wrong |= (ACTIVE != SUM(k, KEY(k) + 1 == outer * 4 + inner)) << 5;
        goto found;
      }
      wrong |= (ACTIVE != SUM(k, outer * 4 + inner < KEY(k) + 1)) << 6;
    }
    wrong |= (ACTIVE != SUM(k, outer * 4 + 3 < KEY(k) + 1)) << 7;
  }
  wrong |= 1u << 31;
found:
  wrong |= (ALL_ITEMS != SUM(k, true)) << 8;
  out[get_global_id(0)] = wrong;
}

// In loops that are written with `goto`, the statements from a label to the last jump back to it are a loop, and a jump out of it is like
// a `break`.

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

// Only some of the sub-groups, each as a whole.
// kernel: some_groups
// global: 128
// local: 64
// arg: out uint 128 => 0
kernel void some_groups(global uint *out) {
  COMMON
  uint group = get_sub_group_id();
  local uint values[64];
  uint place = get_local_id(0);
  values[place] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (group != 1) {
    uint n = 0;
    while (n < key) n += 2;
    wrong |= ALL_ITEMS != SUM(k, true);
    for (uint round = 0; round <= group; round++) {
      if (item == round % size) values[place] = round + 1; else n++;
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);
      wrong |= (values[place - item + round % size] != round + 1) << 1;
      wrong |= (sub_group_reduce_max(n) != sub_group_broadcast(sub_group_scan_inclusive_max(n), size - 1)) << 2;
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  wrong |= (ALL_ITEMS != SUM(k, true)) << 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (group == 1) wrong |= (values[place] != 0) << 4;
  out[get_global_id(0)] = wrong;
}

// Barriers of the work-group after loops and branches that its work-items leave at different times.
// kernel: barriers
// global: 128
// local: 64
// arg: out uint 128 => 0
kernel void barriers(global uint *out) {
  local uint values[64];
  uint place = get_local_id(0), wrong = 0;
  for (uint round = 0; round < 3; round++) {
    uint n = 0;
    for (uint i = 0; i < 100; i++) {
      if (i == place + round) break;
      if (i & 1) continue;
      n += i;
    }
    if (place & 1) {
      values[place] = n;
    } else {
      switch (place % 3) {
        case 0: values[place] = n; break;
        default: for (uint i = 0; i < place % 5; i++) n ^= 0; values[place] = n;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint other = place ^ 63, half_ = (other + round + 1) / 2;
    wrong |= values[other] != half_ * (half_ - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = wrong;
}
