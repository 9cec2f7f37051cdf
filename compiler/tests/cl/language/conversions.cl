// OpenCL C 6.2.3: every conversion between scalars and between vectors, saturated and with every rounding.
#define TO(D, S, N) \
    d_##D[0] = convert_##D##N(s_##S[0]); \
    d_##D[1] = convert_##D##N##_rte(s_##S[1]); \
    d_##D[2] = convert_##D##N##_rtz(s_##S[2]); \
    d_##D[3] = convert_##D##N##_rtp(s_##S[3]); \
    d_##D[4] = convert_##D##N##_rtn(s_##S[4]);
#define SAT(D, S, N) \
    d_##D[0] ^= convert_##D##N##_sat(s_##S[0]); \
    d_##D[1] ^= convert_##D##N##_sat_rte(s_##S[1]); \
    d_##D[2] ^= convert_##D##N##_sat_rtz(s_##S[2]); \
    d_##D[3] ^= convert_##D##N##_sat_rtp(s_##S[3]); \
    d_##D[4] ^= convert_##D##N##_sat_rtn(s_##S[4]);
#define INTEGERS(M, S, N) \
    M(char, S, N) M(uchar, S, N) M(short, S, N) M(ushort, S, N) \
    M(int, S, N) M(uint, S, N) M(long, S, N) M(ulong, S, N)
#define FROM(S, N) INTEGERS(TO, S, N) INTEGERS(SAT, S, N) TO(float, S, N) TO(double, S, N) TO(half, S, N)
#define ARGS(N) \
    global char##N *d_char, global uchar##N *d_uchar, global short##N *d_short, global ushort##N *d_ushort, \
    global int##N *d_int, global uint##N *d_uint, global long##N *d_long, global ulong##N *d_ulong, \
    global float##N *d_float, global double##N *d_double, global half##N *d_half, \
    constant char##N *s_char, constant uchar##N *s_uchar, constant short##N *s_short, \
    constant ushort##N *s_ushort, constant int##N *s_int, constant uint##N *s_uint, \
    constant long##N *s_long, constant ulong##N *s_ulong, constant float##N *s_float, \
    constant double##N *s_double, constant half##N *s_half
#define KERNELS(N, SMALL, LARGE, REAL) \
    kernel void SMALL(ARGS(N)) { FROM(char, N) FROM(uchar, N) FROM(short, N) FROM(ushort, N) } \
    kernel void LARGE(ARGS(N)) { FROM(int, N) FROM(uint, N) FROM(long, N) FROM(ulong, N) } \
    kernel void REAL(ARGS(N)) { FROM(float, N) FROM(double, N) FROM(half, N) }

KERNELS(, from_small, from_large, from_float)
KERNELS(2, from_small2, from_large2, from_float2)
