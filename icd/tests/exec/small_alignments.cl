// Types with a smaller alignment than their own, and members of packed structures that pointers lead to.

typedef uint word1 __attribute__((aligned(1)));
typedef uint word2 __attribute__((aligned(2)));
typedef word1 same_word1;
typedef struct {
    uint a;
    ushort b;
    uchar c[2];
} record;
typedef record record1 __attribute__((aligned(1)));
typedef struct {
    uchar c;
    word1 a[3];
    word1 b;
} with_words;
typedef struct __attribute__((packed)) {
    uchar c;
    uint a[3];
    uint b;
} packed;

// kernel: global_words
// global: 16
// arg: in uchar 80 = rnd(i)
// arg: out uint 16 => a0[4*i+1] + 256*a0[4*i+2] + 65536*a0[4*i+3] + 16777216*a0[4*i+4]
// arg: out uint 16 => a0[4*i+6] + 256*a0[4*i+7] + 65536*a0[4*i+8] + 16777216*a0[4*i+9]
__kernel void global_words(__global const uchar *in, __global uint *odd, __global uint *even) {
    size_t i = get_global_id(0);
    odd[i] = ((__global const same_word1 *)(in + 1))[i];
    even[i] = *((__global const word2 *)(in + 2) + i + 1);
}

// kernel: word_arguments
// global: 16
// arg: in uint 16 = rnd(i)
// arg: out uint 16 => a0[i]
__kernel void word_arguments(__global const word1 *in, __global word1 *out) {
    out[get_global_id(0)] = in[get_global_id(0)];
}

// kernel: local_words
// global: 16
// local: 16
// arg: in uchar 80 = rnd(i)
// arg: out uint 16 => a0[4*i+1] + 256*a0[4*i+2] + 65536*a0[4*i+3] + 16777216*a0[4*i+4]
// arg: out uint 16 => a0[4*i+6] + 256*a0[4*i+7] + 65536*a0[4*i+8] + 16777216*a0[4*i+9]
// arg: out uint 16 => a0[i+1] + 256*a0[i+2] + 65536*a0[i+3] + 16777216*a0[i+4]
__kernel void local_words(__global const uchar *in, __global uint *odd, __global uint *even, __global uint *either) {
    __local uchar tile[80];
    size_t i = get_local_id(0);
    for (size_t k = i; k < 80; k += 16)
        tile[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    odd[i] = ((__local word1 *)(tile + 1))[i];
    even[i] = *((__local word2 *)(tile + 2) + i + 1);
    __local uint *aligned = (__local uint *)tile;
    __local word1 *unaligned = (__local word1 *)(tile + i + 1);
    either[i] = *(i == 77 ? aligned : unaligned);
}

// kernel: stored_words
// global: 4
// local: 4
// arg: in uint 4 = rnd(i)
// arg: out uchar 24 => i < 3 || i > 18 ? 0 : (a0[(i-3)/4] >> ((i-3)%4*8)) & 255
__kernel void stored_words(__global const uint *in, __global uchar *out) {
    __local uchar tile[24];
    size_t i = get_local_id(0);
    for (size_t k = i; k < 24; k += 4)
        tile[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    word1 __local *p = (word1 __local *)(tile + 3);
    p[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = i; k < 24; k += 4)
        out[k] = tile[k];
}

// kernel: records
// global: 4
// local: 4
// arg: in uchar 40 = rnd(i)
// arg: out uint 4 => a0[8*i+1] + 256*a0[8*i+2] + 65536*a0[8*i+3] + 16777216*a0[8*i+4] + a0[8*i+5] + 256*a0[8*i+6] + a0[8*i+8]
__kernel void records(__global const uchar *in, __global uint *out) {
    __local uchar tile[40];
    size_t i = get_local_id(0);
    for (size_t k = i; k < 40; k += 4)
        tile[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    __local record1 *p = (__local record1 *)(tile + 1);
    record copy = p[i];
    out[i] = p[i].a + copy.b + p[i].c[1];
}

// kernel: members
// global: 4
// local: 4
// arg: in uchar 68 = rnd(i)
// arg: out uint 4 => a0[17*i+1] + 256*a0[17*i+2] + 65536*a0[17*i+3] + 16777216*a0[17*i+4]
// arg: out uint 4 => a0[17*i+9] + 256*a0[17*i+10] + 65536*a0[17*i+11] + 16777216*a0[17*i+12]
// arg: out uint 4 => a0[17*i+13] + 256*a0[17*i+14] + 65536*a0[17*i+15] + 16777216*a0[17*i+16]
// arg: out uint 4 => a0[17*i+1] + 256*a0[17*i+2] + 65536*a0[17*i+3] + 16777216*a0[17*i+4]
// arg: out uint 4 => a0[17*i+9] + 256*a0[17*i+10] + 65536*a0[17*i+11] + 16777216*a0[17*i+12]
// arg: out uint 4 => a0[17*i+13] + 256*a0[17*i+14] + 65536*a0[17*i+15] + 16777216*a0[17*i+16]
__kernel void members(__global const uchar *in, __global uint *first, __global uint *last, __global uint *single,
                      __global uint *packed_first, __global uint *packed_last, __global uint *packed_single) {
    __local uchar tile[68];
    size_t i = get_local_id(0);
    for (size_t k = i; k < 68; k += 4)
        tile[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    __local with_words *w = (__local with_words *)tile;
    __local packed *p = (__local packed *)tile;
    first[i] = *w[i].a;
    last[i] = *(w[i].a + 2);
    __local word1 *b = &w[i].b;
    single[i] = *b;
    packed_first[i] = *p[i].a;
    packed_last[i] = *(p[i].a + 2);
    packed_single[i] = *(__local uint *)&p[i].b;
}

// kernel: sizes
// global: 1
// arg: out uint 5 => [17, 1, 17, 1, 1]
__kernel void sizes(__global uint *out) {
    out[0] = sizeof(with_words);
    out[1] = __alignof__(with_words);
    out[2] = sizeof(packed);
    out[3] = __alignof__(word1);
    out[4] = __alignof__(record1);
}

typedef uint4 loose __attribute__((aligned(4)));

// kernel: vectors
// global: 4
// local: 4
// arg: in uint 20 = rnd(i)
// arg: out uint 4 => a0[4*i+1] + a0[4*i+4]
// arg: out uint 4 => a0[4*i+2] + a0[4*i+3]
// arg: out uint 20 => i < 3 || i > 18 ? 0 : a0[i-3]
__kernel void vectors(__global const uint *in, __global uint *outer, __global uint *inner, __global uint *stored) {
    __local uint tile[20], copies[20];
    size_t i = get_local_id(0);
    for (size_t k = i; k < 20; k += 4) {
        tile[k] = in[k];
        copies[k] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    loose v = ((__local loose *)(tile + 1))[i];
    outer[i] = v.x + v.w;
    inner[i] = ((__global const loose *)(in + 1))[i].y + ((__local loose *)(tile + 1))[i].z;
    ((__local loose *)(copies + 3))[i] = ((__global const loose *)in)[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = i; k < 20; k += 4)
        stored[k] = copies[k];
}
