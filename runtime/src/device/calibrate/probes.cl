// Each work-item is a case of three operands. It evaluates all operations, and the host reads the results that the case
// is about. All data come from buffers, so that the driver cannot fold constants. Drivers treat subnormal numbers
// differently in expressions that look alike: NVIDIA's (580) keeps them in `x < y` and `fabs(-x)` here, and flushes them
// in `x > 0` and `fabs(x)`. The indices of the result words are those in `cases.rs`.
#pragma OPENCL FP_CONTRACT OFF
#define WORDS 32

#define COMMON(REAL, WORD, SIGNED, AS_REAL, AS_WORD, AS_SIGNED) \
  size_t i = get_global_id(0); \
  in += 3 * i; \
  out += WORDS * i; \
  REAL x = AS_REAL(in[0]), y = AS_REAL(in[1]), z = AS_REAL(in[2]); \
  out[0] = AS_WORD(fma(x, y, z)); \
  out[1] = AS_WORD(x + y); \
  out[2] = AS_WORD(x - y); \
  out[3] = AS_WORD(x * z); \
  out[4] = AS_WORD(x / z); \
  out[5] = x < y; \
  out[6] = x == y; \
  out[7] = x != x - x; \
  out[8] = AS_WORD(fabs(-x)); \
  out[9] = AS_WORD(fabs(x)); \
  out[10] = x && z; \
  out[11] = !x; \
  out[12] = x > 0; \
  out[13] = AS_WORD(native_or_not_sqrt(x)) != 0; \
  ((global REAL *)out)[14] = ((global const REAL *)in)[0]; \
  out[15] = AS_WORD(x * y + z); \
  out[16] = AS_WORD(x / y); \
  out[17] = AS_WORD(native_or_not_sqrt(x)); \
  out[18] = AS_WORD((REAL)AS_SIGNED(in[0])); \
  out[19] = AS_WORD((REAL)in[0]);

// The driver's own square root: `sqrt` of 32 bits may be the library's.
#define native_or_not_sqrt native_sqrt
kernel void probe32(global const uint *in, global uint *out) {
  COMMON(float, uint, int, as_float, as_uint, as_int)
  out[20] = as_uint(native_exp2(x));
  out[21] = as_uint(native_log2(x));
  out[22] = as_uint(native_sin(x));
  out[23] = as_uint(native_cos(x));
  out[24] = as_uint(native_powr(x, y));
  out[25] = as_uint(native_rsqrt(x));
  ulong product = mul_hi(upsample(in[0], in[1]), upsample(in[1], in[2]));
  out[26] = (uint)product;
  out[27] = (uint)(product >> 32);
#ifdef cl_khr_fp64
  ulong wide = as_ulong((double)x);
  out[28] = (uint)wide;
  out[29] = (uint)(wide >> 32);
#endif
}
#undef native_or_not_sqrt
#define native_or_not_sqrt sqrt
#ifdef cl_khr_fp64
kernel void probe64(global const ulong *in, global ulong *out) {
  COMMON(double, ulong, long, as_double, as_ulong, as_long)
  out[20] = as_uint((float)x);
}
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void probe16(global const ushort *in, global ushort *out) {
  COMMON(half, ushort, short, as_half, as_ushort, as_short)
  out[20] = as_ushort((half)((float)x * (float)y));
  uint wide = as_uint((float)x);
  out[28] = (ushort)wide;
  out[29] = (ushort)(wide >> 16);
}
#endif
