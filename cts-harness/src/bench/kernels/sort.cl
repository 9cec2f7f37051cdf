// Bitonic sort of unsigned keys: `block` is the length of the runs being made, `step` the distance compared.

#define KEYS 512

// One exchange over all keys; a work-item compares two.
kernel void exchange(uint block, uint step, global uint *keys)
{
    uint i = get_global_id(0);
    uint low = 2 * i - (i & (step - 1));
    uint high = low + step;
    bool up = (low & block) == 0;
    uint a = keys[low], b = keys[high];
    if ((a > b) == up) {
        keys[low] = b;
        keys[high] = a;
    }
}

void exchange_locally(local uint *keys, uint block, uint step, uint first)
{
    uint i = get_local_id(0);
    uint low = 2 * i - (i & (step - 1));
    uint high = low + step;
    bool up = ((first + low) & block) == 0;
    uint a = keys[low], b = keys[high];
    if ((a > b) == up) {
        keys[low] = b;
        keys[high] = a;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// All runs up to KEYS, in local memory.
kernel void sort_locally(global uint *keys)
{
    local uint mine[KEYS];
    uint first = get_group_id(0) * KEYS, me = get_local_id(0);
    mine[me] = keys[first + me];
    mine[me + KEYS / 2] = keys[first + me + KEYS / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint block = 2; block <= KEYS; block *= 2)
        for (uint step = block / 2; step > 0; step /= 2)
            exchange_locally(mine, block, step, first);
    keys[first + me] = mine[me];
    keys[first + me + KEYS / 2] = mine[me + KEYS / 2];
}

// The exchanges of a longer run that stay within KEYS.
kernel void merge_locally(uint block, global uint *keys)
{
    local uint mine[KEYS];
    uint first = get_group_id(0) * KEYS, me = get_local_id(0);
    mine[me] = keys[first + me];
    mine[me + KEYS / 2] = keys[first + me + KEYS / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = KEYS / 2; step > 0; step /= 2)
        exchange_locally(mine, block, step, first);
    keys[first + me] = mine[me];
    keys[first + me + KEYS / 2] = mine[me + KEYS / 2];
}
