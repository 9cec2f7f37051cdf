int f(void) { return 1; }
kernel void k(__global int *out, int a) {
    int *p = &(a + 1);
    p = &5;
    p = &f();
    p = &a;
}
