// C90 6.5.2: a declaration without a type is one of an int. C99 has dropped that; it is still found, with `*` mostly.
constant table[] = {1, 2};
static twice(const x, const y) { return 2 * x + y; }
typedef uint word;

kernel void good(global *out, __global const *restrict in, const word n, local *tmp) {
    const a = in[0];
    volatile b = a, *c = &b;
    __private d[2] = {a, b};
    for (const i = 0; i < 1;) break;
    out[0] = sizeof(const word) + *(global const *)out + d[1] + *c + table[n] + (const word)3;
}

// No int is made up where a name may be a type that is not known, and kernels return void.
void bad(global missing x, const other *y);
kernel wrong(global int *out) { }
