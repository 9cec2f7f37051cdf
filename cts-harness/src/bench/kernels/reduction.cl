// The sum of many floats: each work-group sums a part, one more group sums these.

#define GROUP 256

kernel void reduce(uint count, global const float *from, global float *to)
{
    local float part[GROUP];
    uint me = get_local_id(0);
    float sum = 0;
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        sum += from[i];
    part[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (me < step)
            part[me] += part[me + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        to[get_group_id(0)] = part[0];
}
