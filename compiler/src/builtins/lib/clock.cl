// The clocks of cl_khr_kernel_clock as pairs: the low half of the ticks is the first component.

uint2 __c_clock_device(void)
{
    return as_uint2(clock_read_device());
}

uint2 __c_clock_sub_group(void)
{
    return as_uint2(clock_read_sub_group());
}
