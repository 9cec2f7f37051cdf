// What clang accepts in OpenCL C beyond C99: `__typeof__`, enumerators that do not fit int, `continue` in the statement expression of
// a loop's condition or step, and characters with more than four bytes.

enum wide { TOP = 0x80000000, BELOW = -1, SMALL = 5, INSIDE = sizeof(TOP) };
enum unsigned_wide { ONLY = 0x80000000 };
// An assertion need not have a message, as in C23.
_Static_assert(sizeof(enum unsigned_wide) == 4);

// kernel: enumerators
// global: 1
// arg: out int 6 => [8, 4, 4, 4, 0, 4]
__kernel void enumerators(__global int *out) {
    out[0] = sizeof(TOP);
    out[1] = INSIDE;
    out[2] = sizeof(SMALL);
    out[3] = sizeof(BELOW);
    out[4] = TOP < 0 || -TOP > 0;
    out[5] = sizeof(ONLY);
}

// kernel: types_of
// global: 4
// arg: in float 16 = i * 1.5
// arg: out float 4 => a0[4*i] + a0[4*i+3] + 7
// arg: out int 4 => [8, 12, 4, 2]
__kernel void types_of(__global const float4 *in, __global float *out, __global int *sizes) {
    size_t i = get_global_id(0);
    __typeof__((float4)(0)) v = in[i];
    __typeof(v.x) sum = v.x;
    typeof(int[3]) list = {1, 2, 4};
    const __typeof__(list) *p = &list;
    __typeof__(&list[0]) q = list;
    sum += v.w;
    for (__typeof__(1u) k = 0; k < 3; k++)
        sum += (*p)[k] + q[k] - (*p)[k];
    out[i] = sum;
    sizes[i] = i == 0 ? sizeof(__typeof__(i)) : i == 1 ? sizeof(list) : i == 2 ? sizeof(sum) : sizeof(__typeof__((short)1));
}

// kernel: continued
// global: 1
// arg: out int 8 => [4, 1, 24, 3, 10, 14, 9, 6]
__kernel void continued(__global int *out) {
    int i = 0, n = 0;
    do {
        n++;
    } while (({ if (i++ < 3) continue; 0; }));
    out[0] = i;
    out[1] = n;
    i = n = 0;
    for (int k = 0; k < 3; k++) {
        do {
            n++;
        } while (({ if (i++ < 21) continue; 0; }));
    }
    out[2] = i;
    out[3] = n;
    i = n = 0;
    // The step repeats itself.
    for (int k = 0; k < 10; k++, ({ if (i++ < 4) continue; 0; }))
        n++;
    out[4] = i;
    i = 0;
    // The step follows the condition.
    for (int k = 0; ({ if (k < 4) { i++; continue; } k < 10; }); k++)
        i += 2;
    out[5] = i - 2;
    i = n = 0;
    for (int k = 0; ({ if (k < 3) { i++; continue; } k < 6; }); ({ k++; if (k == 1) { n++; continue; } 0; }))
        i += 2;
    out[6] = i + n + 0;
    out[7] = i - 2;
}

// kernel: characters
// global: 1
// arg: out int 3 => [1650680933, 1633837924, 24930]
__kernel void characters(__global int *out) {
    out[0] = 'abcde';
    out[1] = 'abcd';
    out[2] = 'ab';
#if 'abcde' != 'bcde'
#error "only the last four characters count"
#endif
}

// `packed` applies to a structure after its keyword, its tag or its brace, but not before its keyword; and to an enumeration.
__attribute__((packed)) struct before { long l; char c; };
typedef __attribute__((packed)) struct { long l; char c; } before_typedef;
const struct __attribute__((packed)) behind { long l; char c; };
enum __attribute__((packed)) bytes { B0, B255 = 255 };
typedef enum { M128 = -128, P127 = 127 } __attribute__((packed)) signed_bytes;
enum { M1 = -1, P200 = 200 } __attribute__((packed)) typedef signed_shorts;
enum __attribute__((packed)) shorts { S256 = 256 };
enum __attribute__((packed)) words { W65536 = 65536 };
typedef struct { char c; enum bytes b; signed_shorts s; } with_small;

// kernel: packed
// global: 1
// arg: out int 10 => [16, 16, 9, 1, 1, 2, 2, 4, 4, 4]
// arg: out int 4 => [200, -128, 255, -1]
__kernel void packed(__global int *sizes, __global int *values) {
    sizes[0] = sizeof(struct before);
    sizes[1] = sizeof(before_typedef);
    sizes[2] = sizeof(struct behind);
    sizes[3] = sizeof(enum bytes);
    sizes[4] = sizeof(signed_bytes);
    sizes[5] = sizeof(signed_shorts);
    sizes[6] = sizeof(enum shorts);
    sizes[7] = sizeof(enum words);
    sizes[8] = sizeof(with_small);
    sizes[9] = sizeof(B255);
    with_small w = {1, B255, P200};
    values[0] = w.s;
    signed_bytes s = M128;
    values[1] = s;
    values[2] = w.b;
    w.s = M1;
    values[3] = w.s;
}
