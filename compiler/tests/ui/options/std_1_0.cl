// options: -cl-std=CL1.0
// What OpenCL 1.1 and 1.2 added to the language is not there (appendices "Changes").
static int helper(int x) { return x; }
extern int elsewhere(int x);
float3 three(void);
void images(image1d_t a, read_only image2d_t b, sampler_t s) { read_imagei(b, (int2)(0)); }
void k(global int *p, global float *f, int4 v, char3 c) {
    f[0] = minmag(f[1], f[2]) + maxmag(f[1], f[2]);
    p[0] = clamp(p[1], 2, 3) + popcount(p[2]) + (int)get_global_offset(0);
    v = max(v, 3) + min(v, v);
    v = shuffle(v, (uint4)(0)) + shuffle2(v, v, (uint4)(0));
    atomic_add(p, 1);
    vload3(0, p);
    as_short3(v.lo);
    p[3] = vec_step(v);
    printf("x");
}
