void f(void) {}
kernel void k(__global int *out) {
    int a = f();
    out[0] = f() + 1;
    (void)a;
    f(), f();
    a ? f() : f();
}
