// options: -DN=4 -cl-std=CL1.2
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define CAT(a, b) a##b
#if defined(cl_khr_fp64) && __OPENCL_C_VERSION__ == 120 && N == 4
typedef double real;
#endif
typedef struct __attribute__((packed)) { float4 v; int n[N]; } S __attribute__((aligned(16)));
typedef union { float f; uint u; } U;
enum color { RED, GREEN = 5, BLUE };
struct node;
struct node { __global struct node *next; real value; } __attribute__((packed));
__constant float table[] = { 1.0f, 2.5e3f, [3] = 0x1.8p1f };
__constant sampler_t smp = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
static inline float helper(__global const float *restrict p, int uint) { return p[uint] + uint; }
__attribute__((noinline)) int forward(int, __local void *);
__kernel __attribute__((reqd_work_group_size(8, 4 + 4, 1))) __attribute__((vec_type_hint(unsigned int)))
void k(__global S *s, read_only image2d_t img, __local float *l, const uint n, __constant struct node *c)
{
    size_t i = get_global_id(0);
    float4 x = (float4)(1.0f, 2, 3, 4).wzyx, y = (float4)(0).xyzw * 2;
    __local float tile[N][N + 1];
    #pragma unroll N
    for (int j = 0; j < N; j++)
        x += ((float4)(j)) * (x + y);
    __attribute__((opencl_unroll_hint(2)))
    while (i-- > 0)
        ;
    if ((i & 1) == 0 && n) s[i].v = x; else switch (n) { case 1: case 2: x = y; break; case 3 ... 5: default: ; }
    do { i--; } while (i > 0);
    l[0] = vec_step(float4) + sizeof(S) + sizeof x + (n ? 1 : 2) + (n ?: 3) + CAT(0x, ff);
    float a[2] = { 0.5h, 1.f }, *p = a, (*q)[2] = &a;
    s->v.even = y.lo, x.s0123 = y;
    U u = { .u = as_uint(1.0f) };
    int z = ({ int t = 1; t + 1; });
    goto end;
    { typedef float4 vec; vec w = (vec)(1, 2, 3, 4).yxwz; }
end:
    return;
}
