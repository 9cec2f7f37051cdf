int f(int a, float b) { return a; }
int g(void) { return 1; }
kernel void k(__global int *out, float4 v) {
    out[0] = f(1);
    out[1] = f(1, 2, 3);
    out[2] = f(v, 1);
    out[3] = g(1);
    out[4] = out(1);
    out[5] = f(1, 2);
}
