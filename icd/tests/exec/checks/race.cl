// Each kernel has one fault, in the line that says so. The test launches them with 4 work-items in one work-group:
// `out` and `in` have 16 elements, in[i] is i, `c` and `l` have 8, and n is 16.

#define ARGS global int *out, global const int *in, constant int *c, local int *l, int n

struct pair { int first, second; };

void put(local int *list, int at, int value) {
  list[at] = value; // fault of store_in_function
}

kernel void two_stores(ARGS) {
  local int own[4];
  own[get_local_id(0) / 2] = get_local_id(0); // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0) / 2];
}
kernel void all_store_scalar(ARGS) {
  local int last;
  last = in[get_local_id(0)]; // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = last;
}
kernel void store_in_function(ARGS) {
  local int own[4];
  put(own, 1, get_local_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[1];
}
kernel void stores_in_loop(ARGS) {
  local int own[8];
  int i = get_local_id(0);
  for (int k = 0; k < 4; k++) own[i + k] = i; // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[i];
}
kernel void counter_without_atomic(ARGS) {
  local int count;
  if (get_local_id(0) == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  count += 1; // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = count;
}
kernel void members(ARGS) {
  local struct pair pairs[2];
  pairs[get_local_id(0) & 1].second = get_local_id(0); // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = pairs[get_local_id(0) & 1].second;
}
kernel void vectors(ARGS) {
  local int4 own[2];
  own[get_local_id(0) >> 1] = (int4)(1, 2, 3, get_local_id(0)); // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0) >> 1].x;
}
kernel void overlapping_vectors(ARGS) {
  local int own[8];
  vstore2((int2)(get_local_id(0)), 0, own + get_local_id(0)); // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0)];
}
kernel void bytes(ARGS) {
  local char own[8];
  own[get_local_id(0) % 3] = get_local_id(0); // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0) % 3];
}
kernel void neighbours(ARGS) {
  local int own[4];
  int i = get_local_id(0);
  own[i] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  own[i] = own[i ^ 1] + i; // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = own[i];
}
