// Pointers to the generic address space, whose space is known only when the kernel runs, or only after inlining. The
// language is OpenCL C 2.0. (With a constant 3 in place of `three`, LLVM makes integers of 2 bits of the remainders.)
// options: -cl-std=CL2.0
//
// kernel: by_condition
// global: 64
// local: 16
// arg: inout uint 64 = i * 3 => i % 3 == 0 ? i * 3 + 7 : i * 3
// arg: out uint 64 => i % 3 == 0 ? i * 3 : (i % 3 == 1 ? i + 100 : i + 200)
// arg: value uint = 3
//
// kernel: written_where
// global: 64
// local: 16
// arg: inout uint 64 = 5 => i % 3 == 0 ? i + 1 : 5
// arg: out uint 64 => i % 3 == 0 ? 100 * i + i % 16 : (i % 3 == 1 ? i + 1000 * i : 1000 * (i + 1) + i % 16 - 900 * i)
// arg: value uint = 3
//
// kernel: spaces
// global: 8
// local: 8
// arg: in uint 8 = 0
// arg: out uint 8 => [1, 2, 4, 1, 2, 4, 1, 2]
// arg: out uint 8 => [2, 1, 0, 2, 1, 0, 2, 1]
// arg: value uint = 3
//
// kernel: nulls
// global: 8
// local: 8
// arg: inout uint 8 = 9 => 9
// arg: null
// arg: out uint 8 => [7, 7, 7, 7, 7, 7, 7, 7]
// arg: value uint = 3
//
// kernel: counters
// global: 64
// local: 32
// arg: inout uint 2 = [0, 0] => [32, 4294967295]
// arg: out uint 64 => 0
// arg: out uint 64 => 1 + i % 2
//
// kernel: atomics_everywhere
// global: 6
// local: 6
// arg: inout uint 6 = 12 => [10, 12, 12, 10, 12, 12]
// arg: out uint 6 => 12
// arg: out uint 6 => 10
// arg: value uint = 3
//
// kernel: in_structures
// global: 32
// local: 8
// arg: in float 32 = i
// arg: out float 32 => i + 0.5 * (i % 8) + 2 * i
//
// kernel: in_arrays
// global: 32
// local: 8
// arg: in uint 32 = i
// arg: in uint 32 = rnd(i) % 3
// arg: out uint 32 => a1[i] == 0 ? i : (a1[i] == 1 ? i % 8 + 50 : i + 70)
//
// kernel: lists
// global: 16
// local: 4
// arg: in uint 16 = i + 1
// arg: out uint 16 => i + 1 + 10 * (i % 4) + 100 * i
//
// kernel: copies
// global: 12
// local: 4
// arg: inout uint 60 = i => i < 60 ? i : 0
// arg: out uint 60 => i % 3 == 0 ? i : i
// arg: value uint = 3
//
// kernel: results_by_pointer
// global: 12
// local: 4
// arg: in float 12 = 1.25 * i
// arg: inout float 12 = 0 => i % 3 == 0 ? floor(1.25 * i) : 0
// arg: out float 12 => 1.25 * i
// arg: value uint = 3
//
// kernel: vectors
// global: 12
// local: 4
// arg: inout ushort 48 = i => i / 4 % 3 == 0 ? i + 1 : i
// arg: out ushort 48 => i + 1
// arg: value uint = 3
//
// kernel: halves
// global: 12
// local: 4
// arg: inout half 36 = i => i / 3 % 3 == 0 ? i * 2 : i
// arg: out float 36 => i * 2
// arg: value uint = 3
//
// kernel: compared
// global: 12
// local: 4
// arg: inout uint 12 = i => i
// arg: out uint 12 => [1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4]
// arg: value uint = 3
//
// kernel: walks
// global: 16
// local: 8
// arg: in uint 64 = i
// arg: out uint 16 => i % 2 == 0 ? 4 * (4 * i) + 6 : 4 * (i % 8) + 60
//
// kernel: passed_on
// global: 16
// local: 8
// arg: inout uint 16 = i => i % 2 == 0 ? i + 11 : i
// arg: out uint 16 => i % 2 == 0 ? i + 11 : i % 8 + 12
//
// kernel: captured
// global: 16
// local: 8
// arg: in int 16 = i
// arg: out int 16 => 3 * i + 6

typedef struct {
    uint a, b, c, d, e;
} five;

uint *one_of(uint n, global uint *g, local uint *l, private uint *p) {
    return n == 0 ? (uint *)g : n == 1 ? (uint *)l : (uint *)p;
}

kernel void by_condition(global uint *a, global uint *out, uint three) {
    local uint l[16];
    uint i = get_global_id(0), p = i + 200;
    l[get_local_id(0)] = i + 100;
    uint *x = one_of(i % three, &a[i], &l[get_local_id(0)], &p);
    uint v = *x;
    out[i] = v;
    *x = v + 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i % three == 1 && l[get_local_id(0)] != i + 107)
        out[i] = 1;
    if (i % three == 2 && p != i + 207)
        out[i] = 2;
}

// The memory that a pointer does not lead to keeps its contents.
kernel void written_where(global uint *a, global uint *out, uint three) {
    local uint l[16];
    uint i = get_global_id(0), n = get_local_id(0), p = 100 * i;
    l[n] = n;
    uint *x = one_of(i % three, &a[i], &l[n], &p);
    *x = i % three == 0 ? i + 1 : i % three == 1 ? 1000 * i - 100 * i + i : 1000 * (i + 1) - 900 * i;
    out[i] = p + l[n];
}

kernel void spaces(global uint *a, global uint *out, global uint *fences, uint three) {
    local uint l[1];
    uint i = get_global_id(0), p = 0;
    l[0] = 0;
    uint *x = one_of(i % three, &a[i], l, &p);
    out[i] = (to_global(x) != 0) | (to_local(x) != 0) << 1 | (to_private(x) != 0) << 2;
    uint fence = i % three == 2 ? 0 : get_fence(x);
    fences[i] = fence == CLK_GLOBAL_MEM_FENCE ? 2 : fence == CLK_LOCAL_MEM_FENCE ? 1 : 0;
}

kernel void nulls(global uint *a, global uint *nothing, global uint *out, uint three) {
    local uint l[1];
    uint i = get_global_id(0), p = i;
    l[0] = 0;
    local uint *no_local = i < 100 ? 0 : l;
    private uint *no_private = i < 100 ? 0 : &p;
    uint *x = nothing, *y = no_local, *z = no_private;
    uint *w = one_of(i % three, nothing, no_local, no_private);
    out[i] = (x == y) | (y == z) << 1 | (z == 0 && w == 0 && w == x) << 2;
    if (to_local(w) || to_global(w) || to_private(w))
        out[i] = 0;
    if (w)
        *w = a[i];
}

kernel void counters(volatile global atomic_uint *total, global uint *zero, global uint *out) {
    local atomic_uint own;
    uint i = get_global_id(0), n = get_local_id(0);
    if (n == 0)
        atomic_init(&own, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile atomic_uint *x = n % 2 ? (volatile atomic_uint *)total : &own;
    atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_or_explicit(&total[1], 0x00ff00ffu << (n % 2 * 8), memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    zero[i] = atomic_load_explicit(&own, memory_order_relaxed, memory_scope_work_group) != 16;
    out[i] = 1 + n % 2;
}

kernel void atomics_everywhere(global uint *a, global uint *before, global uint *after, uint three) {
    local uint l[6];
    uint i = get_global_id(0), p = 12;
    l[i] = 12;
    atomic_uint *x = (atomic_uint *)one_of(i % three, &a[i], &l[i], &p);
    before[i] = atomic_fetch_sub_explicit(x, 7, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(x, 9, memory_order_relaxed, memory_scope_work_group);
    uint expected = 9;
    atomic_compare_exchange_strong_explicit(x, &expected, 11, memory_order_relaxed, memory_order_relaxed,
                                            memory_scope_work_group);
    atomic_fetch_min_explicit(x, 10, memory_order_relaxed, memory_scope_work_group);
    after[i] = atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group);
}

typedef struct {
    const float *first, *second;
    float *sum;
} sources;

float add(const sources *s) { return *s->first + *s->second + *s->sum; }

kernel void in_structures(global const float *a, global float *out) {
    local float l[8];
    uint i = get_global_id(0), n = get_local_id(0);
    float p = 2.0f * i;
    l[n] = 0.5f * n;
    sources s;
    s.first = &a[i];
    s.second = &l[n];
    s.sum = &p;
    out[i] = add(&s);
}

kernel void in_arrays(global const uint *a, global const uint *which, global uint *out) {
    local uint l[8];
    uint i = get_global_id(0), n = get_local_id(0), p = i + 70;
    l[n] = n + 50;
    const uint *list[3];
    list[0] = &a[i];
    list[1] = &l[n];
    list[2] = &p;
    out[i] = *list[which[i]];
}

typedef struct node {
    uint value;
    const struct node *next;
} node;

kernel void lists(global const uint *a, global uint *out) {
    local node l[4];
    uint i = get_global_id(0), n = get_local_id(0);
    node first, last;
    last.value = 100 * i;
    last.next = 0;
    l[n].value = 10 * n;
    l[n].next = &last;
    first.value = a[i];
    first.next = &l[n];
    uint sum = 0;
    for (const node *x = &first; x; x = x->next)
        sum += x->value;
    out[i] = sum;
}

kernel void copies(global five *a, global five *out, uint three) {
    local five l[4];
    uint i = get_global_id(0), n = get_local_id(0);
    five p = a[i], q;
    l[n] = a[i];
    five *x = (five *)one_of(i % three, (global uint *)&a[i], (local uint *)&l[n], (private uint *)&p);
    q = *x;
    five *y = i % 2 ? (five *)&l[n] : (five *)&q;
    *y = *x;
    out[i] = *y;
}

kernel void results_by_pointer(global const float *a, global float *b, global float *out, uint three) {
    local float l[4];
    uint i = get_global_id(0), n = get_local_id(0);
    float p;
    float *x = (float *)one_of(i % three, (global uint *)&b[i], (local uint *)&l[n], (private uint *)&p);
    float rest = modf(a[i], x);
    out[i] = rest + *x;
}

kernel void vectors(global ushort *a, global ushort *out, uint three) {
    local ushort l[16];
    uint i = get_global_id(0), n = get_local_id(0);
    ushort p[4];
    vstore4(vload4(i, a), n, l);
    vstore4(vload4(i, a), 0, p);
    ushort *x = i % three == 0 ? (ushort *)a : i % three == 1 ? (ushort *)l : p;
    uint at = i % three == 0 ? i : i % three == 1 ? n : 0;
    vstore4(vload4(at, x) + (ushort4)1, at, x);
    vstore4(vload4(at, x), i, out);
}

kernel void halves(global half *a, global float *out, uint three) {
    local ushort memory[12];
    local half *l = (local half *)memory;
    uint i = get_global_id(0), n = get_local_id(0);
    ushort own[4];
    half *p = (half *)own;
    vstore_half3(vload_half3(i, a), n, l);
    vstore_half3(vload_half3(i, a), 0, p);
    half *x = i % three == 0 ? (half *)a : i % three == 1 ? (half *)l : p;
    uint at = i % three == 0 ? i : i % three == 1 ? n : 0;
    vstore_half3(vload_half3(at, x) * 2.0f, at, x);
    vstore3(vload_half3(at, x), i, out);
}

kernel void compared(global uint *a, global uint *out, uint three) {
    local uint l[4];
    uint i = get_global_id(0), n = get_local_id(0), p = 0;
    l[n] = 0;
    uint *x = one_of(i % three, &a[i], &l[n], &p);
    uint *g = &a[i], *m = &l[n], *q = &p;
    out[i] = (x == g) | (x == m) << 1 | (x == q) << 2;
}

kernel void walks(global const uint *a, global uint *out) {
    local uint l[32];
    uint i = get_global_id(0), n = get_local_id(0), sum = 0;
    for (uint k = 0; k < 4; k++)
        l[4 * n + k] = n + 15;
    const uint *x = i % 2 ? (const uint *)&l[4 * n] : (const uint *)&a[4 * i];
    for (const uint *end = x + 4; x != end; x++)
        sum += *x;
    out[i] = sum;
}

__attribute__((noinline)) uint increase(uint *x, uint by) {
    *x += by;
    return *x;
}

kernel void passed_on(global uint *a, global uint *out) {
    local uint l[8];
    uint i = get_global_id(0), n = get_local_id(0);
    l[n] = n;
    uint *x = &a[i];
    if (i % 2)
        x = &l[n];
    increase(x, 1);
    out[i] = increase(x, 10 + i % 2);
}

// What C++ makes of a lambda: a function gets its captures by a generic pointer.
typedef struct {
    global const int *in;
    global int *out;
    int factor;
} captures;

__attribute__((noinline)) int scale(const captures *c, int i) { return c->in[i] * c->factor; }

__attribute__((noinline)) void invoke(captures *c, int i) {
    int add = 0;
    int *total = &add;
    for (int k = 0; k < 4; k++)
        *total += k;
    c->out[i] = scale(c, i) + *total;
}

kernel void captured(global const int *in, global int *out) {
    captures c = {in, out, 3};
    invoke(&c, get_global_id(0));
}
