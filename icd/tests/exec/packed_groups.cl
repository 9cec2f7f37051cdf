// Work-groups that are smaller than a sub-group, of which several may run as one work-group of the device. What a kernel sees
// of its work-group must not change.

// Without local memory: sizes, numbers of groups that are no multiple of a sub-group, offsets, dimensions.
// kernel: ids
// global: 37
// local: 1
// arg: out int 37 => i
// arg: out int 37 => 0
// arg: out int 37 => i
// arg: out int 37 => 1 * 1000 + 37
// kernel: ids
// global: 96
// local: 3
// arg: out int 96 => i / 3
// arg: out int 96 => i % 3
// arg: out int 96 => i
// arg: out int 96 => 3 * 1000 + 32
// kernel: ids
// global: 99
// local: 3
// arg: out int 99 => i / 3
// arg: out int 99 => i % 3
// arg: out int 99 => i
// arg: out int 99 => 3 * 1000 + 33
// kernel: ids
// global: 70
// local: 2
// offset: 5
// arg: out int 70 => i / 2
// arg: out int 70 => i % 2
// arg: out int 70 => i + 5
// arg: out int 70 => 2 * 1000 + 35
// kernel: ids
// global: 80
// local: 8
// arg: out int 80 => i / 8
// arg: out int 80 => i % 8
// arg: out int 80 => i
// arg: out int 80 => 8 * 1000 + 10
// kernel: ids
// global: 85
// local: 5
// arg: out int 85 => i / 5
// arg: out int 85 => i % 5
// arg: out int 85 => i
// arg: out int 85 => 5 * 1000 + 17
kernel void ids(global int *group, global int *local_, global int *id, global int *sizes) {
  size_t i = get_global_id(0) - get_global_offset(0);
  group[i] = get_group_id(0);
  local_[i] = get_local_id(0);
  id[i] = get_global_id(0);
  sizes[i] = get_local_size(0) * 1000 + get_num_groups(0);
}

// kernel: squares
// global: 20 12
// local: 4 4
// arg: out int 240 => (i / 20) / 4 * 1000 + (i % 20) / 4 * 100 + (i / 20) % 4 * 10 + i % 20 % 4
// kernel: squares
// global: 36 8
// local: 4 4
// arg: out int 288 => (i / 36) / 4 * 1000 + (i % 36) / 4 * 100 + (i / 36) % 4 * 10 + i % 36 % 4
kernel void squares(global int *out) {
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
      get_group_id(1) * 1000 + get_group_id(0) * 100 + get_local_id(1) * 10 + get_local_id(0);
}

// kernel: cubes
// global: 10 6 4
// local: 2 2 2
// arg: out int 240 => (i / 60) / 2 * 100000 + i / 10 % 6 / 2 * 10000 + i % 10 / 2 * 1000 + (i / 60) % 2 * 100 + i / 10 % 6 % 2 * 10 + i % 10 % 2
// kernel: cubes
// global: 1 64 3
// local: 1 1 1
// arg: out int 192 => (i / 64) * 100000 + i % 64 * 10000
// kernel: cubes
// global: 1 1 50
// local: 1 1 1
// offset: 3 4 5
// arg: out int 50 => i * 100000
// kernel: cubes
// global: 2 100 2
// local: 2 1 1
// arg: out int 400 => (i / 200) * 100000 + i / 2 % 100 * 10000 + i % 2
kernel void cubes(global int *out) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  out[(z * get_global_size(1) + y) * get_global_size(0) + x] =
      get_group_id(2) * 100000 + get_group_id(1) * 10000 + get_group_id(0) * 1000 +
      get_local_id(2) * 100 + get_local_id(1) * 10 + get_local_id(0);
}

// A kernel that does not see its work-groups.
// kernel: without_groups
// global: 77
// local: 1
// offset: 2
// arg: in int 79 = i * 3
// arg: out int 79 => i < 2 ? -842150451 : i * 3 + 1
// kernel: without_groups
// global: 70
// local: 5
// arg: in int 70 = i * 3
// arg: out int 70 => i * 3 + 1
kernel void without_groups(global const int *in, global int *out) {
  out[get_global_id(0)] = in[get_global_id(0)] + 1;
}

// Early returns, by the group and by the work-item, and loops with other numbers of iterations in each group.
// kernel: branches
// global: 66
// local: 3
// arg: out int 66 => i / 3 % 4 == 1 ? -842150451 : i % 5 == 0 ? -842150451 : i / 3 * (i / 3 + 1) / 2 + i % 3
// kernel: branches
// global: 41
// local: 1
// arg: out int 41 => i % 4 == 1 ? -842150451 : i % 5 == 0 ? -842150451 : i * (i + 1) / 2
kernel void branches(global int *out) {
  int group = get_group_id(0), i = get_global_id(0);
  if (group % 4 == 1)
    return;
  if (i % 5 == 0)
    return;
  int sum = 0;
  for (int n = 0; n <= group; n++)
    sum += n;
  out[i] = sum + get_local_id(0);
}

// Arrays in local memory: each group has its own. Each work-item uses the elements of its own.
// kernel: own_arrays
// global: 64
// local: 8
// arg: out int 64 => (i * 7 + 15) * 16
// kernel: own_arrays
// global: 88
// local: 8
// arg: out int 88 => (i * 7 + 15) * 16
// kernel: own_arrays_of_4
// global: 84
// local: 4
// arg: out int 84 => (i * 7 + 15) * 16
#define OWN_ARRAYS(name, size) \
  __attribute__((reqd_work_group_size(size, 1, 1))) kernel void name(global int *out) { \
    local int table[size * 16]; \
    int l = get_local_id(0); \
    for (int n = 0; n < 16; n++) \
      table[n * size + l] = get_global_id(0) * 7 + n; \
    int sum = 0; \
    for (int n = 0; n < 16; n++) \
      sum += table[n * size + l] + table[(15 - n) * size + l]; \
    out[get_global_id(0)] = sum / 2 + 120; \
  }
OWN_ARRAYS(own_arrays, 8)
OWN_ARRAYS(own_arrays_of_4, 4)

// The same array as bytes and as words, as in RC4.
// kernel: bytes_and_words
// global: 44
// local: 4
// arg: out uint 44 => (i * 37) % 256 + 256 * ((i * 37 + 1) % 256) + 65536 * ((i * 37 + 2) % 256) + 16777216 * ((i * 37 + 3) % 256)
// arg: value uint = 1
__attribute__((reqd_work_group_size(4, 1, 1))) kernel void bytes_and_words(global uint *out, uint step) {
  local uint words[4 * 8];
  uint l = get_local_id(0);
  for (uint n = 0; n < 8; n++)
    words[l + 4 * n] = 0;
  local uchar *bytes = (local uchar *)words;
  for (uint n = 0; n < 32; n++)
    bytes[(l + 4 * (n / 4)) * 4 + n % 4] = get_global_id(0) * 37 + n * step;
  out[get_global_id(0)] = words[l];
}

// Two arrays of different types, and one that is an argument.
// kernel: several_arrays
// global: 52
// local: 4
// arg: out long 52 => i * 3 + i * 5 + i % 4 + 40 * (i / 4)
// arg: local 64
kernel void several_arrays(global long *out, local int *argument) {
  local long longs[4];
  local short shorts[8];
  int l = get_local_id(0), i = get_global_id(0);
  longs[l] = i * 3;
  shorts[l] = i * 5;
  shorts[4 + l] = l;
  argument[3 * l] = 40 * get_group_id(0);
  argument[3 * l + 1] = -1;
  out[i] = longs[l] + shorts[l] + shorts[4 + l] + argument[3 * l];
}

// Local and global atomics whose results decide no loop.
// kernel: atomic_sums
// global: 63
// local: 3
// arg: inout int 24 = 0 => i < 21 ? 3 : i == 21 ? 63 : i == 22 ? 63 * 31 : 0
kernel void atomic_sums(global int *sums) {
  atomic_inc(&sums[get_group_id(0)]);
  for (int n = 0; n < 1; n++)
    atomic_add(&sums[21], 1);
  atomic_add(&sums[22], (int)get_global_id(0));
}

// The order in which work-items of one group take their numbers is open, and each group has its own counter.
// kernel: local_atomics
// global: 60
// local: 1
// arg: out int 60 => 5
kernel void local_atomics(global int *out) {
  local int counter;
  counter = 0;
  for (int n = 0; n < 5; n++)
    atomic_inc(&counter);
  out[get_global_id(0)] = counter;
}

// A loop that a volatile value ends.
// kernel: until_told
// global: 48
// local: 1
// arg: out int 48 => 1
// arg: inout int 48 = 0 => 3
kernel void until_told(global int *out, volatile global int *state) {
  int i = get_global_id(0);
  while (state[i] < 3)
    state[i]++;
  out[i] = 1;
}

// Private arrays, called functions, and a loop around a switch, in groups of 2 by 2.
int digits(int n, int *list) {
  int count = 0;
  do {
    list[count++] = n % 10;
    n /= 10;
  } while (n);
  return count;
}
// kernel: private_memory
// global: 18 6
// local: 2 2
// arg: out int 108 => i / 2 % 9 + i / 36 * 10 + (i % 2) * 100 + (i / 18 % 2) * 1000
kernel void private_memory(global int *out) {
  int list[12];
  int n = get_local_id(1) * 1000 + get_local_id(0) * 100 + get_group_id(1) * 10 + get_group_id(0);
  int count = digits(n, list), sum = 0, power = 1;
  for (int d = 0; d < count; d++) {
    switch (list[d]) {
    case 0: break;
    default: sum += list[d] * power;
    }
    power *= 10;
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}
