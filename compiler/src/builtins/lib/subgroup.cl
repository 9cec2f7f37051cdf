// Functions of sub-groups that are not one operation of the device: cl_khr_subgroup_ballot, …_shuffle_relative, …_rotate,
// …_non_uniform_vote, …_non_uniform_arithmetic, …_clustered_reduce. A ballot has one bit for each work-item.

uint __c_enqueued_sub_groups(void)
{
    ulong items = get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);
    uint size = get_max_sub_group_size();
    return ((uint)items + size - 1) / size;
}

// The bits below n.
uint4 __c_bits_below(uint n)
{
    uint4 base = (uint4)(0, 32, 64, 96);
    uint4 count = min(max((uint4)n, base) - base, (uint4)32);
    uint4 low = ((uint4)1 << (count & (uint4)31)) - (uint4)1;
    return select(low, (uint4)0xffffffffu, count == (uint4)32);
}

uint __c_bit(uint4 bits, uint n)
{
    uint word = n < 64 ? (n < 32 ? bits.x : bits.y) : (n < 96 ? bits.z : bits.w);
    return word >> (n & 31) & 1u;
}

uint __c_count_bits(uint4 bits)
{
    uint4 n = popcount(bits);
    return n.x + n.y + n.z + n.w;
}

uint4 __c_eq_mask(void)
{
    uint n = get_sub_group_local_id();
    return __c_bits_below(n + 1) ^ __c_bits_below(n);
}

uint4 __c_ge_mask(void)
{
    return __c_bits_below(get_max_sub_group_size()) ^ __c_bits_below(get_sub_group_local_id());
}

uint4 __c_gt_mask(void)
{
    return __c_bits_below(get_max_sub_group_size()) ^ __c_bits_below(get_sub_group_local_id() + 1);
}

uint4 __c_le_mask(void)
{
    return __c_bits_below(get_sub_group_local_id() + 1);
}

uint4 __c_lt_mask(void)
{
    return __c_bits_below(get_sub_group_local_id());
}

int __c_inverse_ballot(uint4 bits)
{
    return (int)__c_bit(bits, get_sub_group_local_id());
}

int __c_bit_extract(uint4 bits, uint n)
{
    return (int)__c_bit(bits, n);
}

uint __c_bit_count(uint4 bits)
{
    return __c_count_bits(bits & __c_bits_below(get_max_sub_group_size()));
}

uint __c_inclusive_bits(uint4 bits)
{
    return __c_count_bits(bits & __c_bits_below(get_sub_group_local_id() + 1));
}

uint __c_exclusive_bits(uint4 bits)
{
    return __c_count_bits(bits & __c_bits_below(get_sub_group_local_id()));
}

// Without branches, because operations of the sub-group follow.
uint __c_find_lsb(uint4 value)
{
    uint4 bits = value & __c_bits_below(get_max_sub_group_size());
    uint word = bits.x ? bits.x : bits.y ? bits.y : bits.z ? bits.z : bits.w;
    uint base = bits.x ? 0 : bits.y ? 32 : bits.z ? 64 : 96;
    return base + ctz(word);
}

uint __c_find_msb(uint4 value)
{
    uint4 bits = value & __c_bits_below(get_max_sub_group_size());
    uint word = bits.w ? bits.w : bits.z ? bits.z : bits.y ? bits.y : bits.x;
    uint last = bits.w ? 127 : bits.z ? 95 : bits.y ? 63 : 31;
    return last - clz(word);
}

int __c_elect(void)
{
    return get_sub_group_local_id() == __c_find_lsb(sub_group_ballot(1));
}

gentype sub_group_broadcast_first_any(gentype x)
{
    return sub_group_broadcast(x, __c_find_lsb(sub_group_ballot(1)));
}

int sub_group_non_uniform_all_equal_any(gentype x)
{
    gentype first = sub_group_broadcast(x, __c_find_lsb(sub_group_ballot(1)));
    return sub_group_all(x == first);
}

gentype sub_group_shuffle_up_any(gentype x, uint delta)
{
    return sub_group_shuffle(x, get_sub_group_local_id() - delta);
}

gentype sub_group_shuffle_down_any(gentype x, uint delta)
{
    return sub_group_shuffle(x, get_sub_group_local_id() + delta);
}

// Sizes of sub-groups and clusters are powers of two.
gentype sub_group_rotate_any(gentype x, int delta)
{
    uint mask = get_max_sub_group_size() - 1;
    return sub_group_shuffle(x, (get_sub_group_local_id() + (uint)delta) & mask);
}

gentype sub_group_clustered_rotate_any(gentype x, int delta, uint size)
{
    uint item = get_sub_group_local_id();
    uint mask = size - 1;
    return sub_group_shuffle(x, (item & ~mask) | ((item + (uint)delta) & mask));
}

// Clusters: the active work-items contribute, in the order of their ids. The loops count alike in all work-items, so that
// these stay together.
gentype sub_group_clustered_reduce_add_any(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(r + v) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_mul_any(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(r * v) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_min_signed(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(min(r, v)) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_min_unsigned(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(min(r, v)) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_min_fp(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(fmin(r, v)) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_max_signed(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(max(r, v)) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_max_unsigned(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(max(r, v)) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_max_fp(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(fmax(r, v)) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_and_any(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(r & v) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_or_any(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(r | v) : v;
            some = 1;
        }
    }
    return r;
}

gentype sub_group_clustered_reduce_xor_any(gentype x, uint size)
{
    uint4 active = sub_group_ballot(1);
    uint first = get_sub_group_local_id() & ~(size - 1);
    gentype r = x;
    int some = 0;
    for (uint i = 0; i < size; i++) {
        uint n = first + i;
        gentype v = sub_group_shuffle(x, n);
        if (__c_bit(active, n)) {
            r = some ? (gentype)(r ^ v) : v;
            some = 1;
        }
    }
    return r;
}

// The logical operations, on 0 and 1.

int __c_clustered_and(int x, uint size)
{
    return sub_group_clustered_reduce_and((int)(x != 0), size);
}

int __c_reduce_and(int x)
{
    return sub_group_non_uniform_reduce_and((int)(x != 0)) & 1;
}

int __c_scan_inclusive_and(int x)
{
    return sub_group_non_uniform_scan_inclusive_and((int)(x != 0)) & 1;
}

int __c_scan_exclusive_and(int x)
{
    return sub_group_non_uniform_scan_exclusive_and((int)(x != 0)) & 1;
}

int __c_clustered_or(int x, uint size)
{
    return sub_group_clustered_reduce_or((int)(x != 0), size);
}

int __c_reduce_or(int x)
{
    return sub_group_non_uniform_reduce_or((int)(x != 0)) & 1;
}

int __c_scan_inclusive_or(int x)
{
    return sub_group_non_uniform_scan_inclusive_or((int)(x != 0)) & 1;
}

int __c_scan_exclusive_or(int x)
{
    return sub_group_non_uniform_scan_exclusive_or((int)(x != 0)) & 1;
}

int __c_clustered_xor(int x, uint size)
{
    return sub_group_clustered_reduce_xor((int)(x != 0), size);
}

int __c_reduce_xor(int x)
{
    return sub_group_non_uniform_reduce_xor((int)(x != 0)) & 1;
}

int __c_scan_inclusive_xor(int x)
{
    return sub_group_non_uniform_scan_inclusive_xor((int)(x != 0)) & 1;
}

int __c_scan_exclusive_xor(int x)
{
    return sub_group_non_uniform_scan_exclusive_xor((int)(x != 0)) & 1;
}
