// options: -cl-std=CL1.1
// What OpenCL 1.2 added is not there; what 1.1 added is.
static int helper(int x) { return x; }
void images(image2d_array_t a) {}
void k(global int *p, float3 v, read_only image2d_t b) {
    p[0] = clamp(p[1], 2, 3) + vec_step(v) + popcount(p[2]);
    v = vload3(0, (global float *)p) + maxmag(v, v);
    atomic_add(p, 1);
    p[1] = printf("x");
    read_imageui(b, (int2)(0));
}
