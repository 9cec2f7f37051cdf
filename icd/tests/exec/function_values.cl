// Built-in functions at values with exact results (CL 6.12.2 to 6.12.6, 6.12.12).
// needs: cl_khr_fp64
#define PUT(x) out[n_++] = (ulong)(x)

// kernel: math_values
// global: 1
// arg: out ulong 44 => [0x3f800001, 0x80000001, 0x7f7fffff, 1, 3, 0xffffffff80000000, 0x7fffffff, 0x44c00000, 0x800000, 0xbf000000, 4, 0xfffffffffffffffc, 0x3f7fffff, 0xbf800000, 0xbf400000, 0xc0400000, 0xbf200000, 4, 0xffffffffffffffff, 0xbfc00000, 0xbf000000, 0x3f800000, 0x80000000, 0xbf800000, 0x40000000, 0x40400000, 0x80000000, 0xbf800000, 0x80000000, 0x41200000, 0x57800000, 0x40a00000, 0xc1000000, 0xc0000000, 0x41000000, 0xc0400000, 0, 0xc0400000, 0x40000000, 0x3e200000, 0x3fc00000, 0, 0x80000000, 0x3f800000]
// arg: in int 64 = i
kernel void math_values(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(as_uint(nextafter(1.0f, 2.0f)));
  PUT(as_uint(nextafter(0.0f, -1.0f)));
  PUT(as_uint(nextafter(INFINITY, 0.f)));
  PUT(isnan(nan(5u)));
  PUT(ilogb(8.5f));
  PUT((long)ilogb(0.f));
  PUT((long)ilogb(NAN));
  PUT(as_uint(ldexp(1.5f, in[10])));
  PUT(as_uint(ldexp(1.0f, -126)));
  int q;
  float r = remquo(7.5f, 2.0f, &q);
  PUT(as_uint(r));
  PUT((long)q);
  r = remquo(-7.5f, 2.f, &q);
  PUT((long)q);
  float w;
  PUT(as_uint(fract(-1e-10f, &w)));
  PUT(as_uint(w));
  PUT(as_uint(modf(-3.75f, &w)));
  PUT(as_uint(w));
  int e;
  PUT(as_uint(frexp(-10.f, &e)));
  PUT(e);
  int sg;
  lgamma_r(-0.5f, &sg);
  PUT((long)sg);
  PUT(as_uint(fmod(-7.5f, 2.f)));
  PUT(as_uint(remainder(7.5f, 2.f)));
  PUT(as_uint(fmin(NAN, 1.f)));
  PUT(as_uint(fmax(-0.f, NAN)));
  PUT(as_uint(copysign(1.f, -0.f)));
  PUT(as_uint(rint(2.5f)));
  PUT(as_uint(round(2.5f)));
  PUT(as_uint(round(-0.4f)));
  PUT(as_uint(trunc(-1.5f)));
  PUT(as_uint(ceil(-0.5f)));
  PUT(as_uint(mad(2.f, 3.f, 4.f)));
  PUT(as_uint(fma(16777216.f, 16777216.f, -1.f)));
  PUT(as_uint(hypot(3.f, 4.f)));
  PUT(as_uint(pown(-2.f, 3)));
  PUT(as_uint(rootn(-8.f, 3)));
  PUT(as_uint(powr(2.f, 3.f)));
  PUT(as_uint(logb(0.125f)));
  PUT(as_uint(fdim(3.f, 5.f)));
  PUT(as_uint(maxmag(-3.f, 2.f)));
  PUT(as_uint(minmag(-3.f, 2.f)));
  PUT(as_uint(smoothstep(0.f, 4.f, 1.f)));
  PUT(as_uint(mix(1.f, 3.f, .25f)));
  PUT(as_uint(step(1.f, .5f)));
  PUT(as_uint(sign(-0.f)));
  PUT(as_uint(clamp(5.f, 0.f, 1.f)));
}

// kernel: integer_values
// global: 1
// arg: out ulong 45 => [0x1f, 7, 0, 0x20, 0x3f, 8, 0x40, 0x80, 2, 0x80000000, 0xff, 0xff, 0xffffffffffffff80, 0xffffffff80000000, 0, 0x7fffffffffffffff, 0xfffffffffffffffc, 0xfffffffffffffffd, 0xffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xfffffffe, 0x40, 0xffffffffffffffff, 0xfffffffffffffffe, 7, 0x7f, 0xffffffff, 0x8000000000000000, 3, 2, 0xc000, 0x8000000000000000, 0x1234, 0xffffffffffffff34, 0x123456789abcdef0, 0xfffffffffffffff4, 0x11, 1, 0xff, 1, 0xfffffffffffffffd, 4, 3, 3]
// arg: in int 64 = i
kernel void integer_values(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(clz(in[1]));
  PUT(clz((uchar)1));
  PUT(clz((short)-1));
  PUT(clz(0));
  PUT(clz((ulong)in[1]));
  PUT(popcount((char)-1));
  PUT(popcount(-1L));
  PUT(abs((char)-128));
  PUT(abs(in[1]-3));
  PUT(abs_diff(in[1], -2147483647));
  PUT(abs_diff((char)-128, (char)127));
  PUT(add_sat((uchar)200, (uchar)100));
  PUT((long)add_sat((char)-100, (char)-100));
  PUT((long)sub_sat(-2147483647, in[5]));
  PUT(sub_sat(1u, 2u));
  PUT((long)add_sat(0x7fffffffffffffffL, 1L));
  PUT((long)hadd(-3, -4));
  PUT((long)rhadd(-3, -4));
  PUT(hadd(0xffffffffu, 0xffffffffu));
  PUT(rhadd((ulong)-1, (ulong)-2));
  PUT((long)mul_hi(-1, 1));
  PUT(mul_hi(0xffffffffu, 0xffffffffu));
  PUT((long)mul_hi((char)-128, (char)-128));
  PUT((long)mul_hi(-1L, 1L));
  PUT(mul_hi((ulong)-1, (ulong)-1));
  PUT((long)mad_hi(1 << 30, 8, 5));
  PUT((long)mad_sat((char)100, (char)2, (char)100));
  PUT(mad_sat(0xffffffffu, 2u, 1u));
  PUT((long)mad_sat(-0x7fffffffffffffffL, 2L, 1L));
  PUT(rotate((uchar)0x81, (uchar)in[1]));
  PUT(rotate(1u, 33u));
  PUT(rotate((ushort)0x8001, (ushort)-1));
  PUT(rotate(1L, -1L));
  PUT(upsample((uchar)0x12, (uchar)0x34));
  PUT((long)upsample((char)-1, (uchar)0x34));
  PUT(upsample(0x12345678u, 0x9abcdef0u));
  PUT((long)mul24(-3, 4));
  PUT(mad24(3, 4, 5));
  PUT(max((char)-1, (char)1));
  PUT(max((uchar)-1, (uchar)1));
  PUT(min(-1L, 1L)+2);
  PUT((long)clamp(-5, -3, 3));
  PUT(clamp((uint4)(9), (uint)1, (uint)4).x);
  PUT(max((int2)(1, 5), 3).x);
  PUT(min((uchar2)(1, 5), (uchar)3).y);
}

// kernel: relational_values
// global: 1
// arg: out ulong 28 => [1, 0xffffffffffffffff, 1, 0xffffffffffffffff, 1, 0, 1, 1, 0, 1, 0xffffffffffffffff, 0x40000000, 0x3f800000, 1, 4, 3, 3, 0xc3, 0xbf800000, 2, 0, 0xffffffffffffffff, 1, 0, 0xffffffffffffffff, 0, 1, 1]
// arg: in int 64 = i
kernel void relational_values(global ulong *out, global int *in) {
  int n_ = 0;
  PUT((long)isnan(NAN));
  PUT((long)isnan((float2)(NAN, 1)).x);
  PUT((long)isequal(1.f, 1.f));
  PUT((long)isequal((double2)(1), (double2)(1)).x);
  PUT((long)any((int4)(0, 0, 0, in[1] << 31)));
  PUT((long)any((int4)(1, 2, 3, 4)));
  PUT((long)all((char4)(-1, -2, -128, -1)));
  PUT((long)all(-1));
  PUT((long)any(1));
  PUT((long)signbit(-0.f));
  PUT((long)signbit((float2)(-1, 1)).x);
  PUT(as_uint(select(1.f, 2.f, 1u)));
  PUT(as_uint(select(1.f, 2.f, in[0])));
  PUT(select((int2)(1, 2), (int2)(3, 4), (int2)(1, -1)).x);
  PUT(select((int2)(1, 2), (int2)(3, 4), (int2)(1, -1)).y);
  PUT(select((uchar2)(1, 2), (uchar2)(3, 4), (uchar2)(128, 127)).x);
  PUT(select((long2)(1, 2), (long2)(3, 4), (ulong2)(1UL << 63, 1)).x);
  PUT(bitselect(0xf0, 0x0f, 0x33));
  PUT(as_uint(bitselect(1.f, -1.f, as_float(0x80000000))));
  PUT(bitselect((char)1, (char)2, (char)3));
  PUT((long)isordered(1.f, NAN));
  PUT((long)isunordered((float2)(1, NAN), (float2)(1)).y);
  PUT((long)islessgreater(1.f, 2.f));
  PUT((long)isfinite(INFINITY));
  PUT((long)isinf((float2)(INFINITY)).x);
  PUT((long)isnormal(1e-40f));
  PUT((long)isnormal(1.f));
  PUT((long)isgreater((double)1, 0.));
}

// kernel: shuffles
// global: 1
// arg: out ulong 12 => [0x28, 0xa, 0x28, 0xb, 0x29, 0x1e, 7, 1, 4, 1, 5, 7]
// arg: in int 64 = i
kernel void shuffles(global ulong *out, global int *in) {
  int n_ = 0;
  uint4 m = (uint4)(3, 2, 1, in[0]);
  int4 v = (int4)(10, 20, 30, 40);
  int4 r = shuffle(v, m);
  PUT(r.x);
  PUT(r.w);
  r = shuffle(v, (uint4)(7, 6, 5, 4));
  PUT(r.x);
  int8 r8 = shuffle2(v, v+1, (uint8)(0, 4, 1, 5, 2, 6, 3, 7));
  PUT(r8.s1);
  PUT(r8.s7);
  uchar16 mm = (uchar16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  char16 c;
  for (int i = 0; i < 16; i++)((char*)&c)[i] = i*2;
  c = shuffle(c, mm);
  PUT(c.s0);
  float2 f = shuffle((float8)(0, 1, 2, 3, 4, 5, 6, 7), (uint2)(7, 9));
  PUT(f.x);
  PUT(f.y);
  double4 d = shuffle2((double2)(1, 2), (double2)(3, 4), (ulong4)(3, 2, 1, 0));
  PUT(d.x);
  PUT(d.w);
  short2 s = shuffle2((short16)(5), (short16)(7), (ushort2)(15, 16));
  PUT(s.x);
  PUT(s.y);
}

// Divided by a constant zero: infinite, or not a number.
// kernel: by_zero
// global: 6
// arg: in float 6 = [0, 1, 0 - 1, 2.5, inf, nan]
// arg: out uint 6 => [4, 1, 2, 1, 1, 4]
// arg: out uint 6 => [4, 2, 1, 2, 2, 4]
kernel void by_zero(global const float *in, global uint *plus, global uint *minus) {
  int i = get_global_id(0);
  float a = in[i] / 0.0f, b = in[i] / -0.0f;
  float2 c = (float2)(in[i]) / (float2)(0.0f);
  plus[i] = (a == INFINITY && c.y == INFINITY) | (a == -INFINITY) << 1 | isnan(a) << 2;
  minus[i] = (b == INFINITY) | (b == -INFINITY) << 1 | isnan(b) << 2;
}
