// options: -D ONE=1 -DTWO=(ONE+1) -D NAME -DF(x)=((x)*3) -D TEXT="a\ b" -cl-std=CL1.2
// C99 6.10 and OpenCL C 6.10: macros in use.
#if __OPENCL_VERSION__ < 120 || __OPENCL_C_VERSION__ != 120 || CL_VERSION_1_0 != 100 || CL_VERSION_1_1 != 110 || CL_VERSION_1_2 != 120
#error versions
#endif
#if !defined(__ENDIAN_LITTLE__) || !defined __kernel_exec || !defined(cl_khr_fp64) || ONE != 1 || NAME != 1
#error predefined
#endif
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(x) #x
#define STR(x) STR_(x)
#define VA(fmt, ...) pick(fmt, ##__VA_ARGS__)
#define LAST(a, b, c, n, ...) n
#define COUNT(...) LAST(__VA_ARGS__, 3, 2, 1)
#define EMPTY
#define LPAREN (
#define CALL(f) f LPAREN 5 EMPTY )
#define REPEAT(m) m(0) m(1) m(2) m(3)
#define DEFINED_IN_MACRO defined(ONE) && !defined(THREE)
#define named(args...) (0, ##args)
constant int self = 2;
#define self self + 1
#if DEFINED_IN_MACRO && COUNT(a, b) == 2 && -1 < 0u == 0 && (2 ? 1 : 1 / 0) && 'a' == 97 && ~0 == -1
#else
#error expressions
#endif
#define UNROLL(n) _Pragma(STR(unroll n))
#define ADD(i) s += F(i) + in[i];
#undef NOT_DEFINED
# /* null directive */
#line 100 "renamed.cl"
_Static_assert(__LINE__ == 100 && __COUNTER__ == 0 && __COUNTER__ == 1, "line");
_Static_assert(sizeof(__FILE__) == 11 && sizeof(STR(CAT(TW, O))) == 6, "strings");
constant char where[] = __FILE__ STR(__LINE__) STR( a  +  "x\n" '\0' );
int pick(int a) { return a; }
kernel_exec(8, int2) void k2(global __SIZE_TYPE__ *out) { *out = sizeof(__UINTPTR_TYPE__) + sizeof(__PTRDIFF_TYPE__) + sizeof(__INTPTR_TYPE__); }
kernel __kernel_exec(1, float4) void k(global int *out, constant int *in, int self_) {
    int s = 0;
    REPEAT(ADD)
    UNROLL(2) for (int i = 0; i < 4; i++) s += i;
    s += VA(1) + CALL(pick) + COUNT(1, 2, 3) + named(1, 2) + named() + CAT(ON, E) + CAT(0x, ff) + CAT(1, .5f) + TWO;
    out[0] = s + self + where<:0:>;
}
