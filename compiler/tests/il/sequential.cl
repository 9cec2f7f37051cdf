// Atomic operations that are sequentially consistent, the default of OpenCL C 2.0: integers and floats, loads, stores and the rest.
// options: -cl-std=CL2.0
//
// kernel: orders
// global: 64
// local: 32
// arg: inout uint 3 = [0, 0, 7] => [64, 2080, 63 | 7]
// arg: out uint 64 => 7 + 32
// arg: out float 64 => 2.5
//
// kernel: compared
// global: 32
// local: 32
// arg: inout uint 1 = 5 => 5
// arg: out uint 32 => 5

kernel void orders(volatile global atomic_uint *a, global uint *out, global float *floats) {
    local atomic_uint count;
    local atomic_float last;
    uint i = get_global_id(0);
    if (get_local_id(0) == 0) {
        atomic_store(&count, 7);
        atomic_store(&last, 1.5f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&a[0], 1);
    atomic_fetch_add(&a[1], i + 1);
    atomic_fetch_or(&a[2], i);
    atomic_fetch_add(&count, 1);
    atomic_store(&last, 2.5f);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = atomic_load(&count);
    floats[i] = atomic_load(&last);
}

kernel void compared(volatile global atomic_uint *a, global uint *out) {
    uint expected = 9;
    atomic_compare_exchange_strong(&a[0], &expected, 10);
    out[get_global_id(0)] = expected;
}
