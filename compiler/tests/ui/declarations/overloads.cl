int __attribute__((overloadable)) f(int a) { return 1; }
int __attribute__((overloadable)) f(float a) { return 2; }
int __attribute__((overloadable)) f(int4 a) { return 3; }
kernel void k(__global int *out, float4 v, __global int *p) {
    out[0] = f(1) + f(1.0f) + f((int4)(1)) + f((char)1);
    out[1] = f(v);
    out[2] = f(p);
    out[3] = f(1u);
}
