typedef struct { char c; float4 v; short s[3]; } In;
typedef struct { In in[2]; union { int i; float f; }; struct { int x, y; } p; } Out;
__constant Out init = { { { 1, (float4)(1,2,3,4), {1,2} }, [1] = { .s = {7,8,9} } }, { 42 }, .p.y = 5, };
__constant char names[2][4] = { "abc", "de" };
__constant char *__constant ptrs[] = { names[1], "lit", &names[0][2], 0, names[0] + 1 };
__constant float fl[] = { 1, 1.5, 1/3.0f, -0.0f, 1e10, 'a', 3 > 2, 0x10 };
__constant uchar uc[] = { 255, 256 & 0xff, -1, ~0 };
__constant double dd = 1.0/3;
__constant half hh = 1.0h/3;
__constant float4 cv = (float4)(1,2,(float2)(3,4)) ;
__constant int4 ci = {1,2,3,4};
__constant ulong off = (ulong)&((__constant Out *)0)->p.y;
__constant int sizes[] = { sizeof(In), sizeof(Out), sizeof(float3), sizeof(int[3]), vec_step(float3) };
enum { X = -1, Y = 1 << 4, Z };
__constant int en = X + Z, tern = sizeof(long) == 8 ? 10 : 20;
struct __attribute__((packed)) P { char c; int i; double d; };
struct __attribute__((aligned(64))) A { char c; };
struct M { char c; int i __attribute__((aligned(16))); char d; };
__constant int layout[] = {
    sizeof(struct P), sizeof(struct A), sizeof(struct M),
    __builtin_offsetof(struct P, i), __builtin_offsetof(struct M, i), __builtin_offsetof(struct M, d),
};
