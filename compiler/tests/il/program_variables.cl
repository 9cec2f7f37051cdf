// Variables of the program in global memory: CrossWorkgroup variables of the module. Each kernel has its own, because the
// oracle gives every run the first contents. The language is OpenCL C 2.0.
// options: -cl-std=CL2.0
//
// kernel: initial
// global: 1
// arg: out int 12 => [5, 0, 3, 15, 98, 0, 30, 20, 8, 1, 1, 0]
//
// kernel: changed
// global: 32
// local: 8
// arg: out int 32 => i * 3 + 100
//
// kernel: counted
// global: 64
// local: 64
// arg: out int 64 => 64 + 7
//
// kernel: by_generic
// global: 8
// local: 8
// arg: out int 8 => i % 2 ? 40 + i : 20 + i
// arg: value int = 2

int counter = 5;
global int zero;
static global uint4 vector = (uint4)(1, 2, 3, 4);
struct node {
    global struct node *next;
    float value;
    char tag[3];
};
extern global struct node last;
global struct node first = {&last, 1.5f, {1, 2, 3}};
global struct node last = {0, -2.0f, "ab"};
int table[4] = {10, 20, 30, 40};
global int *global at = &table[2];
global int *constant fixed = table + 1;
constant int unchanged[2] = {7, 8};
constant int *global to_constant = &unchanged[1];

kernel void initial(global int *o) {
    *o++ = counter;
    *o++ = zero;
    *o++ = vector.z;
    *o++ = first.value * 10;
    *o++ = first.next->tag[1];
    *o++ = first.next->tag[2];
    *o++ = *at;
    *o++ = *fixed;
    *o++ = *to_constant;
    *o++ = first.next == &last;
    *o++ = at == table + 2;
    *o++ = 0;
}

global int own[32];
global int *global where = own;

kernel void changed(global int *o) {
    int i = get_global_id(0);
    where[i] = i * 3;
    own[i] += 50;
    where[i] += 50;
    o[i] = own[i];
}

global atomic_int count = 7;

kernel void counted(global int *o) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed, memory_scope_device);
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[get_global_id(0)] = atomic_load_explicit(&count, memory_order_relaxed, memory_scope_device);
}

int some[8] = {20, 20, 20, 20, 20, 20, 20, 20};

kernel void by_generic(global int *o, int two) {
    local int other[8];
    int i = get_global_id(0);
    other[i] = 40;
    int *p = i % two ? (int *)&other[i] : (int *)&some[i];
    *p += i;
    o[i] = i % two ? other[i] : some[i];
}
