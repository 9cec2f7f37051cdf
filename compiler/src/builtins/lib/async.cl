// Asynchronous copies (OpenCL 1.2 6.12.10). All work-items of the group copy at once, each of them every n-th
// element; wait_group_events is a barrier.

ulong __c_linear_id(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

// OpenCL C 2.0, 6.13.1: the position among all work-items, without the global offset.
ulong __c_global_linear_id(void)
{
    ulong x = get_global_id(0) - get_global_offset(0);
    ulong y = get_global_id(1) - get_global_offset(1);
    ulong z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

ulong __c_group_size(void)
{
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}

// The position of the next work-item in the group. With CALDERA_CHECK=race, it takes the place of __c_linear_id: another
// work-item than the one that the program may expect copies each element, so that an access without a wait is a race.
ulong __c_next_id(void)
{
    ulong next = __c_linear_id() + 1;
    return next < __c_group_size() ? next : 0;
}

void async_copy_to_local_any(__local gentype *dst, const __global gentype *src, ulong n)
{
    ulong step = __c_group_size();
    for (ulong i = __c_linear_id(); i < n; i += step) dst[i] = src[i];
}

void async_copy_to_global_any(__global gentype *dst, const __local gentype *src, ulong n)
{
    ulong step = __c_group_size();
    for (ulong i = __c_linear_id(); i < n; i += step) dst[i] = src[i];
}

// The stride applies to the global side.
void async_strided_to_local_any(__local gentype *dst, const __global gentype *src, ulong n, ulong stride)
{
    ulong step = __c_group_size();
    for (ulong i = __c_linear_id(); i < n; i += step) dst[i] = src[i * stride];
}

void async_strided_to_global_any(__global gentype *dst, const __local gentype *src, ulong n, ulong stride)
{
    ulong step = __c_group_size();
    for (ulong i = __c_linear_id(); i < n; i += step) dst[i * stride] = src[i];
}
