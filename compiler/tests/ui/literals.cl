kernel void k(__global ulong *out) {
    out[0] = 99999999999999999999;
    out[1] = 9223372036854775808;
    out[2] = 0x8000000000000000;
    out[3] = 0xffffffff;
}
