#define N 8
#define LOOP _Pragma("unroll N") for
#define TEXT(x) _Pragma(#x)
#pragma unroll N
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT N
#pragma unroll (N) // comment
#pragma
LOOP (;;)
TEXT(unroll 2) while
_Pragma("OPENCL FP_CONTRACT \"OFF\"") x
#define pack(a) N
#define push(a) a
#pragma pack(push, N)
#pragma pack ( pop )
// The operand goes through phase 3: comments are spaces.
_Pragma("unroll/* four */4 // and no more") for (;;);
// A name of the compiler's is no macro here.
#define unroll
#pragma unroll 3
#pragma unroll
