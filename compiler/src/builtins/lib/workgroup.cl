// The collective functions of work-groups (OpenCL C 2.0, 6.13.15). All work-items call them; the values go through local
// memory, in the order of the linear ids. `__caldera_work_group_size` is the size of the largest work-group. Each
// function starts with a barrier, so that the next one may use the memory, too.

__local ulong *__c_shared_items(void)
{
    __local ulong items[__caldera_work_group_size()];
    return items;
}

uint __c_local_items(void)
{
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}

int __c_work_group_all(int x)
{
    return work_group_reduce_min((int)(x != 0));
}

int __c_work_group_any(int x)
{
    return work_group_reduce_max((int)(x != 0));
}

gentype work_group_broadcast_any(gentype x, ulong a, ulong b, ulong c)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == a && get_local_id(1) == b && get_local_id(2) == c) items[0] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[0];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_add_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(a + b);
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_add_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_add(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)0 : items[n - 1];
}

gentype work_group_reduce_add_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_add(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_min_signed(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(min(a, b));
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_min_signed(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_min(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)(((uelemtype)1 << (GEN_BITS - 1)) - (uelemtype)1) : items[n - 1];
}

gentype work_group_reduce_min_signed(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_min(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_min_unsigned(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(min(a, b));
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_min_unsigned(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_min(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)~(gentype)0 : items[n - 1];
}

gentype work_group_reduce_min_unsigned(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_min(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_min_fp(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(fmin(a, b));
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_min_fp(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_min(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)INFINITY : items[n - 1];
}

gentype work_group_reduce_min_fp(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_min(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_max_signed(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(max(a, b));
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_max_signed(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_max(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)((uelemtype)1 << (GEN_BITS - 1)) : items[n - 1];
}

gentype work_group_reduce_max_signed(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_max(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_max_unsigned(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(max(a, b));
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_max_unsigned(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_max(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)0 : items[n - 1];
}

gentype work_group_reduce_max_unsigned(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_max(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_max_fp(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(fmax(a, b));
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_max_fp(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_max(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)-INFINITY : items[n - 1];
}

gentype work_group_reduce_max_fp(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_max(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// cl_khr_work_group_uniform_arithmetic.

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_mul_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(a * b);
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_mul_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_mul(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)1 : items[n - 1];
}

gentype work_group_reduce_mul_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_mul(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_and_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(a & b);
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_and_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_and(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)~(gentype)0 : items[n - 1];
}

gentype work_group_reduce_and_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_and(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_or_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(a | b);
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_or_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_or(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)0 : items[n - 1];
}

gentype work_group_reduce_or_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_or(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The inclusive scan, by doubling the distance. Item n of the memory is the result of work-item n.
gentype work_group_scan_inclusive_xor_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    uint count = __c_local_items();
    gentype b = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    items[n] = b;
    for (uint distance = 1; distance < count; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        gentype a = items[n >= distance ? n - distance : n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n >= distance) b = (gentype)(a ^ b);
        items[n] = b;
    }
    return b;
}

gentype work_group_scan_exclusive_xor_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    uint n = (uint)get_local_linear_id();
    work_group_scan_inclusive_xor(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return n == 0 ? (gentype)0 : items[n - 1];
}

gentype work_group_reduce_xor_any(gentype x)
{
    __local gentype *items = (__local gentype *)__c_shared_items();
    work_group_scan_inclusive_xor(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    return items[__c_local_items() - 1];
}

// The logical operations are those on bits of 0 and 1.

int __c_work_group_reduce_logical_and(int x)
{
    return work_group_reduce_and((int)(x != 0)) != 0;
}

int __c_work_group_reduce_logical_or(int x)
{
    return work_group_reduce_or((int)(x != 0)) != 0;
}

int __c_work_group_reduce_logical_xor(int x)
{
    return work_group_reduce_xor((int)(x != 0)) != 0;
}

int __c_work_group_scan_inclusive_logical_and(int x)
{
    return work_group_scan_inclusive_and((int)(x != 0)) != 0;
}

int __c_work_group_scan_inclusive_logical_or(int x)
{
    return work_group_scan_inclusive_or((int)(x != 0)) != 0;
}

int __c_work_group_scan_inclusive_logical_xor(int x)
{
    return work_group_scan_inclusive_xor((int)(x != 0)) != 0;
}

int __c_work_group_scan_exclusive_logical_and(int x)
{
    return work_group_scan_exclusive_and((int)(x != 0)) != 0;
}

int __c_work_group_scan_exclusive_logical_or(int x)
{
    return work_group_scan_exclusive_or((int)(x != 0)) != 0;
}

int __c_work_group_scan_exclusive_logical_xor(int x)
{
    return work_group_scan_exclusive_xor((int)(x != 0)) != 0;
}
