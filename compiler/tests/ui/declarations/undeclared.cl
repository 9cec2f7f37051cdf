kernel void k(__global int *out) {
    int value = 1;
    out[0] = missing;
    out[1] = valeu + valu;
    out[2] = unknown_function(value);
    missing2 = 3;
}
