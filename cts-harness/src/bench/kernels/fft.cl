// Many Fourier transforms of 1024 points: a work-group each, in local memory, ten exchanges.

#define POINTS 1024
#define GROUP 256

// roots[i] is exp(-2πi·i/1024).
kernel void fft(global const float2 *from, global float2 *to, global const float2 *roots)
{
    local float2 part[2][POINTS];
    uint me = get_local_id(0);
    global const float2 *mine = from + get_group_id(0) * POINTS;
    for (uint i = me; i < POINTS; i += GROUP)
        part[0][i] = mine[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    uint now = 0;
    // Self-sorting, radix 2: `step` butterflies share a root.
    for (uint step = 1; step < POINTS; step *= 2) {
        for (uint i = me; i < POINTS / 2; i += GROUP) {
            uint low = i & (step - 1), high = i - low;
            float2 a = part[now][i], b = part[now][i + POINTS / 2];
            float2 root = roots[high];
            float2 difference = a - b;
            part[1 - now][2 * high + low] = a + b;
            part[1 - now][2 * high + low + step] =
                (float2)(difference.x * root.x - difference.y * root.y,
                         difference.x * root.y + difference.y * root.x);
        }
        now = 1 - now;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    global float2 *out = to + get_group_id(0) * POINTS;
    for (uint i = me; i < POINTS; i += GROUP)
        out[i] = part[now][i];
}
