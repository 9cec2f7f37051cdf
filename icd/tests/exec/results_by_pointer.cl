// `everywhere`: functions that store a second result through a pointer (CL 6.12.2), for each address space, on scalars and
// vectors. `exact`: other functions with exact results.
#define CHECK(x) if (x) good++; else bad |= 1UL << checked; checked++

#define EXERCISE(space, place_f, place_i, place_v, place_iv)                                                     \
  CHECK(fract(x, place_f) == 0.25f && *place_f == 3.0f);                                                         \
  CHECK(fract(-1e-10f * x, place_f) == 0x1.fffffep-1f && *place_f == -1.0f);                                     \
  CHECK(modf(-x, place_f) == -0.25f && *place_f == -3.0f);                                                       \
  CHECK(modf(x * INFINITY, place_f) == 0.0f && *place_f == INFINITY);                                            \
  CHECK(frexp(x, place_i) == 0.8125f && *place_i == 2);                                                          \
  CHECK(frexp(-0.0f * x, place_i) == 0.0f && *place_i == 0);                                                     \
  CHECK(remquo(x, -1.5f, place_i) == 0.25f && (*place_i & 127) == (-2 & 127) && *place_i < 0);                   \
  CHECK(remquo(x * 5, 0.75f, place_i) == -0.25f && (*place_i & 127) == 22);                                      \
  CHECK(fabs(lgamma_r(x - 3.75f, place_i) - 1.2655121f) < 1e-5f && *place_i == -1);                              \
  CHECK(fabs(lgamma_r(x + 1.75f, place_i) - 3.1780538f) < 1e-5f && *place_i == 1);                               \
  CHECK(fabs(sincos(x - 3.25f, place_f)) == 0.0f && *place_f == 1.0f);                                           \
  CHECK(all(fract((float4)(x, -x, 7, 0.5f), place_v) == (float4)(0.25f, 0.75f, 0, 0.5f)) &&                      \
        all(*place_v == (float4)(3, -4, 7, 0)));                                                                 \
  CHECK(all(modf((float4)(x, -x, 7, -0.5f), place_v) == (float4)(0.25f, -0.25f, 0, -0.5f)) &&                    \
        all(*place_v == (float4)(3, -3, 7, 0)));                                                                 \
  CHECK(all(frexp((float4)(x, 1, 8, 0.125f), place_iv) == (float4)(0.8125f, 0.5f, 0.5f, 0.5f)) &&                \
        all(*place_iv == (int4)(2, 1, 4, -2)));                                                                  \
  CHECK(all(remquo((float4)(5, -5, 6, 7), (float4)(2), place_iv) == (float4)(1, -1, 0, -1)) &&                   \
        all(*place_iv == (int4)(2, -2, 3, 4)))

// kernel: everywhere
// global: 1
// arg: in float 1 = 3.25
// arg: inout ulong 8 = 0 => 0
// arg: out ulong 2 => i == 0 ? 45 : 0
kernel void everywhere(global const float *in, global ulong *memory, global ulong *out) {
  float x = in[0];
  ulong good = 0, bad = 0;
  int checked = 0;
  float pf;
  int pi;
  float4 pv;
  int4 piv;
  EXERCISE(private, (&pf), (&pi), (&pv), (&piv));
  local float lf;
  local int li;
  local float4 lv;
  local int4 liv;
  EXERCISE(local, (&lf), (&li), (&lv), (&liv));
  global float *gf = (global float *)memory;
  global int *gi = (global int *)memory + 1;
  global float4 *gv = (global float4 *)memory + 1;
  global int4 *giv = (global int4 *)memory + 2;
  EXERCISE(global, gf, gi, gv, giv);
  for (int i = 0; i < 8; i++) memory[i] = 0;
  out[0] = good;
  out[1] = bad;
}
// kernel: exact
// global: 1
// arg: in float 1 = 3.25
// arg: out ulong 2 => i == 0 ? 24 : 0
kernel void exact(global const float *in, global ulong *out) {
  float x = in[0];
  ulong good = 0, bad = 0;
  int checked = 0;
  CHECK(nextafter(x, 4.0f) == 0x1.a00002p1f && nextafter(x, -4.0f) == 0x1.9ffffep1f);
  CHECK(nextafter(x, x) == x && isnan(nextafter(x, NAN)) && isnan(nextafter(NAN, x)));
  CHECK(as_uint(nextafter(MAXFLOAT, x * INFINITY)) == 0x7f800000 && nextafter(INFINITY, x) == MAXFLOAT);
  CHECK(nextafter(-1.0f, -x) == -0x1.000002p0f && nextafter(-1.0f, x) == -0x1.fffffep-1f);
  CHECK(nextafter(0x1p-126f * 2, 0.0f) == 0x1.fffffep-126f);
  CHECK(all(nextafter((float2)(1, x), (float2)(2, 0)) == (float2)(0x1.000002p0f, 0x1.9ffffep1f)));
  CHECK(ilogb(x) == 1 && ilogb(-0.1f) == -4 && ilogb(x * 0) == FP_ILOGB0 && ilogb(x * NAN) == FP_ILOGBNAN);
  CHECK(ilogb(x * INFINITY) == INT_MAX && all(ilogb((float3)(1, 1024, 0.75f)) == (int3)(0, 10, -1)));
  CHECK(logb(x) == 1.0f && logb(-0.1f) == -4.0f && logb(x * 0) == -INFINITY && logb(-x * INFINITY) == INFINITY);
  CHECK(ldexp(x, 3) == 26.0f && ldexp(-x, -2) == -0.8125f && ldexp(x, 200) == INFINITY && ldexp(x, -300) == 0);
  CHECK(ldexp(0x1p-100f, 200) == 0x1p100f && all(ldexp((float2)(1, x), (int2)(4, 1)) == (float2)(16, 6.5f)));
  CHECK(all(ldexp((float3)(1, 2, x), 2) == (float3)(4, 8, 13)));
  CHECK(isnan(nan(0u)) && isnan(nan(0x12345u)) && all(isnan(nan((uint4)(1, 2, 3, (uint)x)))));
  CHECK((as_uint(nan(0x12345u)) & 0x7fc00000) == 0x7fc00000);
  CHECK(fmod(x, 2.0f) == 1.25f && fmod(-x, 2.0f) == -1.25f && fmod(x, INFINITY) == x && isnan(fmod(x, 0.0f)));
  CHECK(remainder(x, 2.0f) == -0.75f && remainder(-x, 2.0f) == 0.75f && remainder(5.0f, x * 0 + 2) == 1.0f);
  CHECK(lgamma(x - 2.25f) == 0.0f && fabs(lgamma(x + 1.75f) - 3.1780538f) < 1e-5f);
  CHECK(lgamma(x - 3.25f) == INFINITY && lgamma(x * INFINITY) == INFINITY);
  CHECK(maxmag(x, -4.0f) == -4.0f && minmag(x, -4.0f) == x && maxmag(-x, x) == x && minmag(-x, x) == -x);
  CHECK(fdim(x, 5.0f) == 0.0f && fdim(5.0f, x) == 1.75f && isnan(fdim(x, NAN)));
  CHECK(copysign(x, -0.0f) == -x && copysign(-x, 1.0f) == x);
  CHECK(fmin(x, NAN) == x && fmax(NAN, x) == x && fmin(x, 4.0f) == x && fmax(x, 4.0f) == 4.0f);
  CHECK(rint(x) == 3.0f && rint(x + 0.25f) == 4.0f && rint(x - 0.75f) == 2.0f && round(x - 0.75f) == 3.0f);
  CHECK(trunc(-x) == -3.0f && floor(-x) == -4.0f && ceil(-x) == -3.0f && fabs(-x) == x);
  out[0] = good;
  out[1] = bad;
}
