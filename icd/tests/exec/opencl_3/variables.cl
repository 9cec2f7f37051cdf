// Variables of the program in global memory (OpenCL C 3.0, 6.7.1): initializers, pointers among them, `static` in
// functions. `variables.rs` has what one kernel leaves for the next.
// needs: __opencl_c_program_scope_global_variables
// options: -cl-std=CL3.0

#ifndef __opencl_c_program_scope_global_variables
#error "the feature has a macro"
#endif

int counter = 5;
global int zero;
static global uint4 vector = (uint4)(1, 2, 3, 4);
struct node { global struct node *next; float value; char tag[3]; };
extern global struct node last;
global struct node first = {&last, 1.5f, {1, 2, 3}};
global struct node last = {&first, -2.0f, "ab"};
int table[4] = {10, 20, 30, 40};
global int *global at = &table[2];
global int *constant fixed = table + 1;
constant int unchanged[2] = {7, 8};
constant int *global to_constant = &unchanged[1];
const int readonly = 77;
volatile global atomic_int atomic = ATOMIC_VAR_INIT(3);
global atomic_flag flag = ATOMIC_FLAG_INIT;
uchar large[5000];
int tentative;
int tentative = 12;
local int *global nothing;

int next(void) {
  static int calls;
  static global int from = 100;
  static constant int step[2] = {1, 2};
  calls += step[0];
  from += step[1];
  return from * 10 + calls;
}

// kernel: initial
// global: 1
// arg: out int 22 => [5, 0, 1, 2, 3, 4, 15, 3, 98, 0, 30, 20, 8, 77, 3, 0, 0, 12, 1, 1, 1, 0]
kernel void initial(global int *o) {
  *o++ = counter;
  *o++ = zero;
  *o++ = vector.x;
  *o++ = vector.y;
  *o++ = vector.z;
  *o++ = vector.w;
  *o++ = first.value * 10;
  *o++ = first.tag[2];
  *o++ = first.next->tag[1];
  *o++ = first.next->tag[2];
  *o++ = *at;
  *o++ = *fixed;
  *o++ = *to_constant;
  *o++ = readonly;
  *o++ = atomic_load(&atomic);
  *o++ = atomic_flag_test_and_set(&flag);
  *o++ = large[4999];
  *o++ = tentative;
  *o++ = first.next->next == &first;
  *o++ = at == table + 2;
  *o++ = nothing == 0;
  *o++ = 0;
}

// kernel: changed
// global: 1
// arg: out int 11 => [10, 1, 1, 20, 30, 4, 10, 1, 7, 4, 1]
kernel void changed(global int *o) {
  atomic_fetch_add_explicit(&atomic, 1, memory_order_relaxed);
  counter = 5;
  counter *= 2;
  vector.yz = (uint2)(20, 30);
  at = &counter;
  first.next = 0;
  last.value = next();
  to_constant = unchanged;
  atomic_flag_test_and_set(&flag);
  zero = last.value == 1021;
  *o++ = counter;
  *o++ = zero;
  *o++ = vector.x;
  *o++ = vector.y;
  *o++ = vector.z;
  *o++ = vector.w;
  *o++ = *at;
  *o++ = first.next == 0;
  *o++ = *to_constant;
  *o++ = atomic_load(&atomic);
  *o++ = atomic_flag_test_and_set(&flag);
}

// kernel: forms
// global: 1
// arg: out int 3 => [41, 42, 43]
kernel void forms(global int *o) {
  global int *p = table;
  for (int i = 0; i < 3; i++) p[i] = 41 + i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (int i = 0; i < 3; i++) o[i] = table[i];
}
