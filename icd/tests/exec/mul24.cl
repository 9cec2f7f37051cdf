// mul24 and mad24 (6.12.3): a product of numbers of 24 bits may have more than 32, of which the lowest remain. Nothing must be
// concluded from the signs of the operands, and no wider multiplication gives the same number.

// kernel: wrapped
// global: 2
// arg: out long 20 => [-16777215, -16777210, 1, 1, 0, 0, 1, 1, 0, -16777215, 9, 14, 0, 0, 0, 0, 0, 1, 0, 9]
// arg: in int 2 = [8388607, 3]
kernel void wrapped(global long *out, global const int *in) {
    int x = in[get_global_id(0)] & 0x7fffff;
    out += 10 * get_global_id(0);
    out[0] = mul24(x, x);
    out[1] = mad24(x, x, 5);
    out[2] = mul24(x, x) < 0;
    out[3] = mad24(x, x, 5) < x;
    out[4] = mul24(x, x) >= 0 && x == 8388607;
    out[5] = mul24(x, 512) / 512 == x && x != 3;
    out[6] = (float)mul24(x, x) < 0.0f;
    out[7] = mad24(x, 256, 0x7fffffff) < 0;
    out[8] = (mul24(x, x) & 1) == 0;
    out[9] = max(mul24(x, x), (int)0x80000000);
}

// The product is an index: 65536 * 65536 is 0 in 32 bits.
// kernel: indices
// global: 1
// arg: inout int 8 = i => [10, 11, 12, 13, 14, 15, 6, 7]
// arg: in int 2 = [65536, 65536]
kernel void indices(global int *out, global const int *in) {
    int x = in[0], y = in[1];
    global int *p = out + mul24(x, y);
    p[0] += 10;
    p[1] += 10;
    out[mul24(x, y) + 2] += 10;
    out[mad24(x, y, 3)] += 10;
    // No wider product gives these addresses. `far` leads outside the buffer and is not accessed.
    global int *far = out + (long)x * 65536;
    if (far > out || x == 65536) {
        out[mul24(x, 65536) + 4] += 10;
        out[mad24(x, 65536, 5)] += 10;
    }
}
