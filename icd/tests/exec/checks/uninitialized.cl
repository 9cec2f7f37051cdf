// Each kernel has one fault, in the line that says so. The test launches them with 4 work-items in one work-group:
// `out` and `in` have 16 elements, `c` and `l` have 8, and n is 16.

#define ARGS global int *out, global const int *in, constant int *c, local int *l, int n

struct pair { int first, second; };
struct large { int values[100]; };

int sum(const int *list, int count) {
  int total = 0;
  for (int k = 0; k < count; k++)
    total += list[k]; // fault of sum_of_part
  return total;
}

void set(int *to, int value) { *to = value; }

kernel void scalar(ARGS) {
  int x;
  out[get_global_id(0)] = x; // fault
}
kernel void scalar_of_one_branch(ARGS) {
  int x;
  if (get_global_id(0) < 2) x = n;
  out[get_global_id(0)] = x; // fault
}
kernel void scalar_of_loop(ARGS) {
  int x;
  for (int k = n; k < 16; k++) x = k;
  out[get_global_id(0)] = x + 1; // fault
}
kernel void total_without_start(ARGS) {
  int total;
  for (int k = 0; k < 4; k++)
    total += in[k]; // fault
  out[get_global_id(0)] = total;
}
kernel void condition(ARGS) {
  int x;
  if (n > 20) x = 1;
  if (x > 3) // fault
    out[get_global_id(0)] = 1;
}
kernel void index(ARGS) {
  int i;
  if (n > 20) i = 1;
  out[i & 3] = 1; // fault
}
kernel void array_element(ARGS) {
  int a[8];
  for (int k = 0; k < 7; k++) a[k] = k;
  out[get_global_id(0)] = a[(n + 7) & 7]; // fault
}
kernel void array_of_item(ARGS) {
  int a[4];
  a[get_global_id(0) & 1] = 1;
  out[get_global_id(0)] = a[3 - (get_global_id(0) & 1)]; // fault
}
kernel void two_dimensions(ARGS) {
  int a[4][4];
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < y; x++) a[y][x] = n;
  out[get_global_id(0)] = a[n & 1][get_global_id(0)]; // fault
}
kernel void member(ARGS) {
  struct pair p;
  p.first = n;
  out[get_global_id(0)] = p.first + p.second; // fault
}
kernel void copied_member(ARGS) {
  struct pair p;
  p.first = n;
  struct pair q = p;
  out[get_global_id(0)] = q.second; // fault
}
kernel void lane(ARGS) {
  int4 v;
  v.xy = (int2)(n, 1);
  out[get_global_id(0)] = v.z; // fault
}
kernel void whole_vector(ARGS) {
  int4 v;
  v.xyz = (int3)(n, 1, 2);
  vstore4(v, 0, out); // fault
}
kernel void selected(ARGS) {
  int x;
  if (n > 20) x = 1;
  out[get_global_id(0)] = n > 3 ? x : 2; // fault
}
kernel void of_function(ARGS) {
  int x, y;
  set(&x, n);
  out[get_global_id(0)] = x + y; // fault
}
kernel void sum_of_part(ARGS) {
  int a[8];
  for (int k = 0; k < 6; k++) a[k] = in[k];
  out[get_global_id(0)] = sum(a, 8);
}
kernel void bytes(ARGS) {
  char a[8];
  for (int k = 0; k < 3; k++) a[k] = k;
  out[get_global_id(0)] = as_int(*(char4 *)a); // fault
}
kernel void local_array(ARGS) {
  local int own[8];
  own[get_local_id(0)] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0) + 1]; // fault
}
kernel void local_scalar(ARGS) {
  local int count;
  if (get_local_id(0) == n) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = count; // fault
}
kernel void local_counter(ARGS) {
  local int count;
  atomic_inc(&count); // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = count;
}
kernel void local_struct(ARGS) {
  local struct pair pairs[4];
  pairs[get_local_id(0)].second = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = pairs[3 - get_local_id(0)].first; // fault
}
kernel void large_initializer(ARGS) {
  struct large a = {{1, 2}}, b;
  b.values[0] = n;
  out[get_global_id(0)] = a.values[n + 70] + b.values[n]; // fault
}
