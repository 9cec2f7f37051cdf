// The functions of sub-groups, which are GroupNonUniform instructions in SPIR-V. Each kernel compares them with what it
// computes from local memory, for sub-groups of any size. The language is OpenCL C 2.0.
// options: -cl-std=CL2.0
//
// needs: cl_khr_subgroup_ballot
// needs: cl_khr_subgroup_shuffle_relative
// needs: cl_khr_subgroup_clustered_reduce
//
// kernel: arithmetic
// global: 128
// local: 64
// arg: in int 128 = rnd(i) % 100 - 50
// arg: out uint 128 => 0
//
// kernel: logic
// global: 128
// local: 64
// arg: in int 128 = rnd(i) % 3
// arg: out uint 128 => 0
//
// kernel: ballots
// global: 128
// local: 64
// arg: in int 128 = rnd(i) % 2
// arg: out uint 128 => 0
//
// kernel: moves
// global: 128
// local: 64
// arg: in int 128 = rnd(i)
// arg: out uint 128 => 0
//
// kernel: clusters
// global: 128
// local: 64
// arg: in int 128 = rnd(i) % 100 - 50
// arg: out uint 128 => 0

#define SETUP                                                                                                                   \
    local int v[256];                                                                                                           \
    uint i = get_global_id(0), me = get_sub_group_local_id(), n = get_sub_group_size(), bad = 0;                                  \
    local int *g = v + get_sub_group_id() * get_max_sub_group_size();                                                           \
    int x = a[i];                                                                                                               \
    g[me] = x;                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE)

kernel void arithmetic(global const int *a, global uint *out) {
    SETUP;
    int sum = 0, least = INT_MAX, before = 0;
    uint product = 1, bits = ~0u, some = 0, odd = 0;
    for (uint k = 0; k < n; k++) {
        sum += g[k];
        least = min(least, g[k]);
        before += k < me ? g[k] : 0;
        product *= (uint)g[k];
        bits &= (uint)g[k];
        some |= k <= me ? (uint)g[k] : 0;
        odd ^= k < me ? (uint)g[k] : 0;
    }
    bad |= sub_group_non_uniform_reduce_add(x) != sum;
    bad |= (sub_group_non_uniform_reduce_min(x) != least) << 1;
    bad |= (sub_group_non_uniform_scan_exclusive_add(x) != before) << 2;
    bad |= (sub_group_non_uniform_reduce_mul((uint)x) != product) << 3;
    bad |= (sub_group_non_uniform_reduce_and((uint)x) != bits) << 4;
    bad |= (sub_group_non_uniform_scan_inclusive_or((uint)x) != some) << 5;
    bad |= (sub_group_non_uniform_scan_exclusive_xor((uint)x) != odd) << 6;
    out[i] = bad;
}

kernel void logic(global const int *a, global uint *out) {
    SETUP;
    int all = 1, any = 0, odd = 0, equal = 1;
    for (uint k = 0; k < n; k++) {
        all &= g[k] != 0;
        any |= k <= me && g[k] == 2;
        odd ^= k < me && g[k] == 1;
        equal &= g[k] == g[0];
    }
    bad |= (sub_group_non_uniform_reduce_logical_and(x != 0) != 0) != all;
    bad |= ((sub_group_non_uniform_scan_inclusive_logical_or(x == 2) != 0) != any) << 1;
    bad |= ((sub_group_non_uniform_scan_exclusive_logical_xor(x == 1) != 0) != odd) << 2;
    bad |= ((sub_group_non_uniform_all_equal(x) != 0) != equal) << 3;
    bad |= ((sub_group_non_uniform_all(x < 3) != 0) != 1) << 4;
    bad |= ((sub_group_non_uniform_any(x > 2) != 0) != 0) << 5;
    bad |= ((sub_group_elect() != 0) != (me == 0)) << 6;
    out[i] = bad;
}

kernel void ballots(global const int *a, global uint *out) {
    SETUP;
    uint count = 0, before = 0, lowest = ~0u, highest = 0;
    for (uint k = 0; k < n; k++) {
        count += g[k];
        before += k < me ? g[k] : 0;
        lowest = g[k] && lowest == ~0u ? k : lowest;
        highest = g[k] ? k : highest;
    }
    uint4 set = sub_group_ballot(x);
    bad |= sub_group_ballot_bit_count(set) != count;
    bad |= (sub_group_ballot_exclusive_scan(set) != before) << 1;
    bad |= (sub_group_ballot_inclusive_scan(set) != before + x) << 2;
    bad |= (count && sub_group_ballot_find_lsb(set) != lowest) << 3;
    bad |= (count && sub_group_ballot_find_msb(set) != highest) << 4;
    bad |= ((sub_group_inverse_ballot(set) != 0) != x) << 5;
    bad |= ((sub_group_ballot_bit_extract(set, n - 1) != 0) != g[n - 1]) << 6;
    bad |= (sub_group_broadcast_first(x) != g[0]) << 7;
    bad |= (sub_group_non_uniform_broadcast(x, 0) != g[0]) << 8;
    out[i] = bad;
}

kernel void moves(global const int *a, global uint *out) {
    SETUP;
    bad |= sub_group_shuffle(x, n - 1 - me) != g[n - 1 - me];
    bad |= (n % 2 == 0 && sub_group_shuffle_xor(x, 1) != g[me ^ 1]) << 1;
    int up = sub_group_shuffle_up(x, 1), down = sub_group_shuffle_down((long)x, 1);
    bad |= (me > 0 && up != g[me - 1]) << 2;
    bad |= (me + 1 < n && down != g[me + 1]) << 3;
    out[i] = bad;
}

kernel void clusters(global const int *a, global uint *out) {
    SETUP;
    if (n >= 4 && n % 4 == 0) {
        int sum = 0, most = INT_MIN;
        for (uint k = me & ~3u; k <= (me | 3u); k++) {
            sum += g[k];
            most = max(most, g[k]);
        }
        bad |= sub_group_clustered_reduce_add(x, 4) != sum;
        bad |= (sub_group_clustered_reduce_max(x, 4) != most) << 1;
    }
    out[i] = bad;
}
