// OpenCL C 6.5 to 6.8: address spaces, access and storage, in every place where they may stand.
typedef global float *gp;
typedef float *pp;
typedef const constant int table_t[4];
struct Node { global struct Node *next; local int *l; constant char *name; private int *p; int *plain; };
__constant int numbers[] = {1, 2, 3, 4};
constant struct { int a; float b[2]; } config = {1, {2, 3}};
static constant float scale = 2.0f;
extern constant int late;
constant int late = 9;
constant int *constant pointer = numbers + 1;
constant char *constant words[] = {"one", "two"};
const constant table_t table = {1, 2, 3, 4};

static inline int sum(constant int *p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
int of_global(const global int *restrict p) { return *p; }
int of_local(volatile local int *p) { return *p; }
int of_private(private int *p) { return *p; }
int of_plain(int *p, int a[4], int b[], int c[2][3]) { return *p + a[1] + b[2] + c[1][2]; }
global int *step(global int *p) { return p + 1; }
__global float *__attribute__((always_inline)) first(gp p) { return p; }
void set(global float *const p, const float v) { *p = v; }
float half_of(const global half *h, int i) { return vload_half(i, h); }

__kernel void spaces(__global int *restrict out, const __global int *in, volatile __global int *v,
                     __local int *scratch, __constant int *c, global const volatile uint *cv, gp g,
                     constant float4 *restrict k4, global struct Node *nodes, local float4 *l4, int n) {
    __local int fixed[64];
    local float4 one;
    __constant int inner[2] = {5, 6};
    __private int mine[4] = {1, 2, 3, 4};
    private int *p = mine, *const q = &mine[1], **r = &p, ***s = &r;
    global int *gs[2] = {out, out + 1};
    local int *ls = fixed, *ls2 = scratch;
    const int *cp = mine;
    int i = get_local_id(0);
    fixed[i] = in[i]; one = (float4)(n); scratch[i] = 1; l4[0] = one;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = of_global(in) + of_local(fixed) + of_private(mine) + of_plain(p, mine, mine, 0) + *step(out);
    out[i] += sum(numbers, 4) + sum(c, n) + sum(inner, 2) + config.a + config.b[1] + scale + late + *pointer;
    out[i] += words[1][2] + table[3] + *cv + v[i] + (*q) + **r + ***s + *gs[i & 1] + ls[1] + ls2[0] + cp[2] + k4->x;
    set(g, *first(g) + 1);
    if (nodes->next && nodes->l) { nodes->next->p = p; nodes = nodes->next; nodes->plain = mine; }
    out[n] = nodes->name ? nodes->name[0] : nodes == 0;
    atomic_add(&fixed[0], 1); atomic_inc(v);
}
