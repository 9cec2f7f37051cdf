kernel void first(__global int *out) {
    out[0] = one;
    float4 v = two;
    out[1] = v.x + three;
}
kernel void second(__global int *out) {
    for (int i = 0; i < four; i++) out[i] = five;
    int x = six, y = seven;
    out[0] = x + y;
}
