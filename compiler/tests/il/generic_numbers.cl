// Numbers of generic pointers. Clang subtracts the number of a pointer to private or local memory from that of a generic one
// without a cast, and a number may become a pointer to another space than the one that it is from.
// modules only: OpenCL C does not define the numbers of pointers to private and local memory.
// options: -cl-std=CL2.0
// kernel: differences
// global: 1
// local: 1
// arg: in int 1 = 5
// arg: out long 8 => [1, 2, 3, 4, 55, 7, 8, 9]
int *follow(int *p, int n) {
  *p++ = n;
  return p;
}
kernel void differences(global int *g, global long *out) {
  int a[5] = {9, 8, 7, 6, 5};
  local int l[5];
  for (int i = 0; i < 5; i++) l[i] = i;
  int *p = follow(a, 55);
  out[0] = p - a;
  int *q = follow(l + 1, 7);
  out[1] = q - l;
  out[2] = &p[2] - &a[0];
  out[3] = follow(p + 2, 8) - a;
  ulong number = (ulong)&a[0];
  out[4] = *(int *)number;
  out[5] = *(local int *)((ulong)&l[1]);
  out[6] = *(private int *)((ulong)(p + 2));
  ulong element = (ulong)&l[4];
  *(int *)element = 9;
  out[7] = l[4] + (*(int *)(ulong)g - g[0]);
}

// Pointers whose values are numbers, and the address of a member of an object at the address 0.
// kernel: initial_numbers
// global: 1
// arg: out ulong 4 => [40960, 4, 0, 16]
struct pair {
  int first, second;
};
global uint *fixed_address = (global uint *)0xa000;
void *member = &((struct pair *)0)->second;
struct holder {
  global char *none, *some;
} held = {0, (global char *)16};
kernel void initial_numbers(global ulong *out) {
  out[0] = (ulong)fixed_address;
  out[1] = (ulong)member;
  out[2] = (ulong)held.none;
  out[3] = (ulong)held.some;
}
