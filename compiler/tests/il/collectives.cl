// The functions of work-groups, which are instructions in SPIR-V. The language is OpenCL C 2.0.
// options: -cl-std=CL2.0
//
// kernel: sums
// global: 48
// local: 16
// arg: in int 48 = i * 3 - 7
// arg: out int 48 => 16 * (3 * (i - i % 16) - 7) + 3 * 120
// arg: out int 48 => (i % 16 + 1) * (3 * (i - i % 16) - 7) + 3 * (i % 16) * (i % 16 + 1) / 2
// arg: out int 48 => (i % 16) * (3 * (i - i % 16) - 7) + 3 * (i % 16) * (i % 16 - 1) / 2
//
// kernel: extremes
// global: 30
// local: 10
// arg: in uint 30 = (i * 7) % 10 + 4294967280 * (i % 2)
// arg: out uint 30 => 0
// arg: out int 30 => 8
// arg: out uint 30 => 4294967289
// arg: out long 30 => -15
//
// kernel: floats
// global: 24
// local: 8
// arg: in float 24 = i % 8 * 0.5
// arg: out float 24 => 14
// arg: out float 24 => (i % 8) * (i % 8 - 1) * 0.25
// arg: out float 24 => 3.5
//
// kernel: votes
// global: 24
// local: 8
// arg: in int 24 = i
// arg: out int 24 => (i >= 8) + 2 * (i < 8 || i >= 16)
//
// kernel: broadcasts
// global: 12 2
// local: 6 2
// arg: in int 24 = i
// arg: out int 24 => i % 12 < 6 ? 104 + 1000 * (2 + 12) : 110 + 1000 * (8 + 12)
//
// kernel: one_item
// global: 4
// local: 1
// arg: in int 4 = i + 1
// arg: out int 4 => 3 * (i + 1)

kernel void sums(global const int *a, global int *all, global int *to, global int *before) {
    size_t i = get_global_id(0);
    all[i] = work_group_reduce_add(a[i]);
    to[i] = work_group_scan_inclusive_add(a[i]);
    before[i] = work_group_scan_exclusive_add(a[i]);
}

kernel void extremes(global const uint *a, global uint *least, global int *most, global uint *umost, global long *wide) {
    size_t i = get_global_id(0);
    least[i] = work_group_reduce_min(a[i]);
    most[i] = work_group_reduce_max((int)a[i]);
    umost[i] = work_group_reduce_max(a[i]);
    wide[i] = work_group_reduce_min((long)(int)a[i]);
}

kernel void floats(global const float *a, global float *sum, global float *before, global float *most) {
    size_t i = get_global_id(0);
    sum[i] = work_group_reduce_add(a[i]);
    before[i] = work_group_scan_exclusive_add(a[i]);
    most[i] = work_group_reduce_max(a[i]);
}

kernel void votes(global const int *a, global int *out) {
    size_t i = get_global_id(0);
    int all = work_group_all(a[i] >= 8), any = work_group_any(a[i] == 3 || a[i] == 17);
    out[i] = (all != 0) + 2 * (any != 0);
}

kernel void broadcasts(global const int *a, global int *out) {
    size_t i = get_global_id(1) * 12 + get_global_id(0);
    out[i] = work_group_broadcast(a[i] + 100, 4, 0) + 1000 * work_group_broadcast(a[i], 2, 1);
}

kernel void one_item(global const int *a, global int *out) {
    size_t i = get_global_id(0);
    out[i] = work_group_reduce_add(a[i]) + work_group_scan_inclusive_max(a[i]) + work_group_scan_exclusive_add(a[i]) +
             work_group_broadcast(a[i], 0);
}
