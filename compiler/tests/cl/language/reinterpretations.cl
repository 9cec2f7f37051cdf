// OpenCL C 6.2.4.2: as_typen between all types of one size, and a vector of 3 as one of 4 and back.
#define PAIR(A, B) { A a = as_##A(*(global B *)p); *(global A *)(p + 256) = a; p += 16; }
#define WITH(A) PAIR(A, A)
#define ALL8(M, X) M(X, char) M(X, uchar)
#define ALL16(M, X) M(X, short) M(X, ushort) M(X, char2) M(X, uchar2) M(X, half)
#define ALL32(M, X) M(X, int) M(X, uint) M(X, float) M(X, short2) M(X, ushort2) M(X, char4) M(X, uchar4) M(X, half2) \
    M(X, char3) M(X, uchar3)
#define ALL64(M, X) M(X, long) M(X, ulong) M(X, double) M(X, int2) M(X, uint2) M(X, float2) M(X, short4) \
    M(X, ushort4) M(X, char8) M(X, uchar8) M(X, half4) M(X, short3) M(X, ushort3) M(X, half3)
#define ALL128(M, X) M(X, long2) M(X, ulong2) M(X, double2) M(X, int4) M(X, uint4) M(X, float4) M(X, short8) \
    M(X, ushort8) M(X, char16) M(X, uchar16) M(X, half8) M(X, int3) M(X, uint3) M(X, float3)
#define ALL256(M, X) M(X, long4) M(X, ulong4) M(X, double4) M(X, int8) M(X, uint8) M(X, float8) M(X, short16) \
    M(X, ushort16) M(X, half16) M(X, long3) M(X, ulong3) M(X, double3)
#define ALL512(M, X) M(X, long8) M(X, ulong8) M(X, double8) M(X, int16) M(X, uint16) M(X, float16)
#define ALL1024(M, X) M(X, long16) M(X, ulong16) M(X, double16)

kernel void bits8(global char *p) { ALL8(PAIR, char) ALL8(PAIR, uchar) }
kernel void bits16(global char *p) { ALL16(PAIR, short) ALL16(PAIR, ushort) ALL16(PAIR, char2) ALL16(PAIR, half) }
kernel void bits32(global char *p) {
    ALL32(PAIR, int) ALL32(PAIR, float) ALL32(PAIR, short2) ALL32(PAIR, uchar4) ALL32(PAIR, half2) ALL32(PAIR, char3)
}
kernel void bits64(global char *p) {
    ALL64(PAIR, long) ALL64(PAIR, double) ALL64(PAIR, int2) ALL64(PAIR, float2) ALL64(PAIR, ushort4) ALL64(PAIR, char8)
    ALL64(PAIR, half4) ALL64(PAIR, short3)
}
kernel void bits128(global char *p) {
    ALL128(PAIR, ulong2) ALL128(PAIR, double2) ALL128(PAIR, int4) ALL128(PAIR, float4) ALL128(PAIR, short8)
    ALL128(PAIR, uchar16) ALL128(PAIR, half8) ALL128(PAIR, float3) ALL128(PAIR, int3)
}
kernel void bits256(global char *p) {
    ALL256(PAIR, ulong4) ALL256(PAIR, double4) ALL256(PAIR, int8) ALL256(PAIR, float8) ALL256(PAIR, short16)
    ALL256(PAIR, half16) ALL256(PAIR, long3)
}
kernel void bits512(global char *p) { ALL512(PAIR, long8) ALL512(PAIR, double8) ALL512(PAIR, uint16) ALL512(PAIR, float16) }
kernel void bits1024(global char *p) { ALL1024(PAIR, long16) ALL1024(PAIR, double16) }
