// OpenCL C 6.1: the types, their sizes and alignments, their names.
#define SIZE(T, n) _Static_assert(sizeof(T) == n, #T);
#define ALIGN(T, n) _Static_assert(__alignof__(T) == n, #T);
#define BOTH(T, n) SIZE(T, n) ALIGN(T, n)
#define VECTORS(T, n) BOTH(T, n) BOTH(T##2, 2 * n) BOTH(T##3, 4 * n) BOTH(T##4, 4 * n) BOTH(T##8, 8 * n) BOTH(T##16, 16 * n)
VECTORS(char, 1) VECTORS(uchar, 1) VECTORS(short, 2) VECTORS(ushort, 2) VECTORS(int, 4) VECTORS(uint, 4)
VECTORS(long, 8) VECTORS(ulong, 8) VECTORS(float, 4) VECTORS(double, 8) VECTORS(half, 2)
BOTH(bool, 1) BOTH(size_t, 8) BOTH(ptrdiff_t, 8) BOTH(intptr_t, 8) BOTH(uintptr_t, 8)
BOTH(global int *, 8) BOTH(local char *, 8) BOTH(constant float4 *, 8) BOTH(private void *, 8)
BOTH(unsigned, 4) BOTH(unsigned char, 1) BOTH(signed, 4) BOTH(signed char, 1) BOTH(long int, 8)
BOTH(unsigned long int, 8) BOTH(short int, 2) BOTH(unsigned short, 2) BOTH(_Bool, 1) BOTH(long unsigned, 8)
typedef __attribute__((vector_size(16))) float quad; typedef char pair __attribute__((vector_size(2)));
typedef __SIZE_TYPE__ size_t;
BOTH(quad, 16) BOTH(pair, 2) _Static_assert(vec_step(quad) == 4 && vec_step(pair) == 2, "");
struct A { char a; float3 b; short c; };
SIZE(struct A, 48) ALIGN(struct A, 16)
struct __attribute__((packed)) B { char a; float3 b; short c; };
SIZE(struct B, 19) ALIGN(struct B, 1)
struct C { char a; int b __attribute__((packed)); char c; };
SIZE(struct C, 6) ALIGN(struct C, 1)
struct D { char a; int b; } __attribute__((aligned(32)));
SIZE(struct D, 32) ALIGN(struct D, 32)
union E { char a[5]; int b; };
SIZE(union E, 8) ALIGN(union E, 4)
struct F { char a; struct { int x; union { double d; char c; }; }; };
SIZE(struct F, 24) ALIGN(struct F, 8)
enum G { G0, G1 = 7, G2 };
SIZE(enum G, 4)
typedef int I;
typedef I *global *PP;
typedef float M4[4][4];
SIZE(M4, 64)
struct H { int n; float tail[]; };
SIZE(struct H, 4)
_Static_assert(__builtin_offsetof(struct A, c) == 32, "offset");
_Static_assert(__builtin_offsetof(struct F, d) == 16, "offset");
_Static_assert(G2 == 8 && sizeof(G2) == 4 && sizeof 'a' == 4, "constants");
_Static_assert(sizeof(1) == 4 && sizeof(1L) == 8 && sizeof(1UL) == 8 && sizeof(1.0f) == 4 && sizeof(1.0) == 8, "literals");
_Static_assert(sizeof(0x80000000) == 4 && sizeof(2147483648) == 8 && sizeof(4294967296u) == 8, "literals");
_Static_assert(vec_step(int) == 1 && vec_step(int3) == 4 && vec_step(double16) == 16, "steps");
_Static_assert((char)-1 < 0 && (int)3.9f == 3 && (uchar)300 == 44 && -1 > 0u, "conversions");
_Static_assert((uint)-1 == 0xffffffff && ~0u == 0xffffffff && (1 ? -1 : 1u) > 0, "conversions");
_Static_assert(sizeof("abc") == 4 && sizeof("a" "b\0") == 4 && sizeof(int[3]) == 12, "arrays");

kernel void types(global int *out, uint n, struct A a, union E e, enum G g) {
    struct H *h = 0;
    M4 m = {{1, 2}, [2] = {[3] = 5}};
    PP pp = 0;
    out[0] = n + a.c + e.b + g + (h == 0) + m[2][3] + (pp != 0);
    out[1] = vec_step(a.b) + sizeof a.b + sizeof(m) / sizeof(*m);
}
