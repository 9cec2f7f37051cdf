// Counts of 256 values: through local memory, and straight into global memory.

#define BINS 256

kernel void clear(global uint *bins)
{
    bins[get_global_id(0)] = 0;
}

// A work-item takes words of four values each.
kernel void by_local(uint words, global const uint *values, global uint *bins)
{
    local uint mine[BINS];
    uint me = get_local_id(0);
    mine[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint word = values[i];
        atomic_inc(&mine[word & 255]);
        atomic_inc(&mine[word >> 8 & 255]);
        atomic_inc(&mine[word >> 16 & 255]);
        atomic_inc(&mine[word >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[me], mine[me]);
}

kernel void by_global(uint words, global const uint *values, global uint *bins)
{
    for (uint i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint word = values[i];
        atomic_inc(&bins[word & 255]);
        atomic_inc(&bins[word >> 8 & 255]);
        atomic_inc(&bins[word >> 16 & 255]);
        atomic_inc(&bins[word >> 24]);
    }
}
