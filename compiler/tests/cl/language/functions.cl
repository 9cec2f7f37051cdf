// C99 6.7.5.3, OpenCL C 6.7 to 6.9: functions, prototypes, kernels that call kernels, attributes.
struct P { float x, y; };
typedef struct P P;
typedef int unary(int);
int twice(int);
extern int thrice(int a);
inline int add(int a, int b);
static P make(float x, float y) __attribute__((always_inline));
unary negate;
void nothing(void);
void __attribute__((overloadable)) barrier(cl_mem_fence_flags flags);
float4 __attribute__((overloadable)) fmax(float4, float4);
float __attribute__((overloadable)) fract(float, global float *);
long __attribute__((overloadable)) fmax(long a, long b) { return a > b ? a : b; }
long largest(long a, global float *b) { barrier(CLK_LOCAL_MEM_FENCE); return fmax(a, (long)fract(fmax(b[0], b[1]), b)); }
int printf(__constant const char *format, ...) __attribute__((format(printf, 1, 2)));
float __attribute__((overloadable)) area(float r) { return 3.0f * r * r; }
float __attribute__((overloadable)) area(float a, float b) { return a * b; }
float __attribute__((overloadable)) area(P p) { return p.x * p.y; }
int4 __attribute__((overloadable)) area(int4 v) { return v * v; }
int twice(int a) { return a * 2; }
int thrice(const int a) { return a * 3; }
int add(int a, int b) { return a + b; }
static P make(float x, float y) { P p = {x, y}; return p; }
int negate(int a) { return -a; }
void nothing() { return; }
P swap(P p) { return make(p.y, p.x); }
float4 spread(float a) { return a; }
void out2(int a, int *restrict x, int *restrict y) { *x = a; *y = a + 1; }
int early(int a) { if (a > 3) return 1; if (a < -3) { return 2; } for (;;) { if (a++ > 0) return a; } }
static int pick(int a) { switch (a) { case 0: return 5; default: return a; } }
__attribute__((noinline)) int kept(int a) { return a + 1; }

kernel void leaf(global int *p, int n) { p[get_global_id(0)] += n; }
__kernel __attribute__((reqd_work_group_size(4, 2, 1))) __attribute__((vec_type_hint(float4)))
void hinted(global int *p) { leaf(p, 1); }
kernel void declared(global int *p);
kernel __attribute__((work_group_size_hint(64, 1, 1), vec_type_hint(unsigned int))) void both(global int *p, P arg, int4 v) {
    int x, y;
    out2(3, &x, &y);
    nothing(), (void)x;
    (void)twice(1);
    p[0] = twice(x) + thrice(y) + add(x, y) + negate(x) + early(x) + pick(y) + kept(x);
    p[1] = area(1.0f) + area(1.0f, 2.0f) + area(arg) + area(v).x + swap(swap(arg)).x + make(1, 2).y;
    p[2] = spread(1).w + spread(2).xy.x;
    leaf(p, 2);
    declared(p);
    extern int block_scope(int);
    p[3] = block_scope(3);
    typedef int local_type; enum { A = 3, B }; struct L { local_type a; } l = {A + B};
    p[4] = l.a;
    { int p = 2; x = p; { float p = x; y = p; } }
    p[5] = x + y;
}
int block_scope(int a) { return a ^ 1; }
kernel void declared(global int *p) { *p = 1; }
kernel void redeclared(global float *p, long n) { p[1] = largest(n, p); }
kernel void empty(void) {}
void kernel swapped(void) {}
kernel void kernel_after(global int *p) { goto end; end:; }
