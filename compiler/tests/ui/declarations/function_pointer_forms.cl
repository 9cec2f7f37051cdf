int f(int a) { return a; }
void g(int (*p)(int)) {}
kernel void k(__global int *out) {
    int (*p)(int) = f;
    out[0] = &f != 0;
}
