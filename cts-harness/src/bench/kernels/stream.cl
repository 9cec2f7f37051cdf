// Memory bandwidth: a copy and saxpy, one element a work-item.

kernel void copy(global const float4 *from, global float4 *to)
{
    size_t i = get_global_id(0);
    to[i] = from[i];
}

kernel void saxpy(float a, global const float *x, global const float *y, global float *z)
{
    size_t i = get_global_id(0);
    z[i] = a * x[i] + y[i];
}
