kernel void k(__global int *out) {
    asm("nop");
    out[0] = 1;
}
