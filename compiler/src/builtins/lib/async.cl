// Asynchronous copies (OpenCL 1.2 6.12.10). All work-items of the group copy at once, each of them every n-th
// element; wait_group_events is a barrier.

ulong __c_linear_id(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

ulong __c_group_size(void)
{
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
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
