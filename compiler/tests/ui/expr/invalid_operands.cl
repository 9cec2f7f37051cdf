struct S { int a; };
kernel void k(__global int *out, struct S s) {
    out[0] = s + 1;
    out[1] = -s;
    out[2] = out * 2;
    out[3] = out + out;
    out[4] = s == s;
    out[5] = s && 1;
    if (s) {}
}
