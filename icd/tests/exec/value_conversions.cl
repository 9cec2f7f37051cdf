// Conversions between numbers (CL 6.2): implicit, by cast, by convert_ and as_ functions; types of literals.
// needs: cl_khr_fp64
#define PUT(x) out[n_++] = (ulong)(x)

// kernel: casts
// global: 1
// arg: out ulong 25 => [3, 0xfffffffffffffffd, 3, 3, 3, 0xfffffffffffffffd, 0xc8, 0x1000000, 1, 0x4c000000, 0x4f000000, 0x4f800000, 0x43efffffffffffff, 0x5f000001, 0x5f000001, 0xde800001, 0x3f800002, 0x3dcccccd, 1, 0, 0xffffffffffffffff, 0x3b9aca00, 0xb2d05e00, 0x8ac7230000000000, 0x8319938000000000]
// arg: in int 64 = i
kernel void casts(global ulong *out, global int *in) {
  int n_ = 0;
  float f = in[3]+0.7f;
  PUT((long)(int)f);
  PUT((long)(int)-f);
  PUT((uint)f);
  PUT((long)(char)(int)f);
  PUT((ulong)f);
  PUT((long)(short)-3.99f);
  PUT((uchar)200.9f);
  PUT((long)(float)16777217);
  PUT((float)(ulong)-1 > 1e19f);
  PUT(as_uint((float)(in[1]*33554433)));
  PUT(as_uint((float)0x7fffffff));
  PUT(as_uint((float)(0xffffffffu-in[0])));
  PUT(as_ulong((double)(0xfffffffffffffbffUL+in[0])));
  PUT(as_uint((float)0x8000008000000001UL));
  PUT(as_uint((float)(in[1]+0x8000008000000000UL)));
  PUT(as_uint((float)(long)-(0x4000004000000001L)));
  PUT(as_uint((float)1.00000017881393432617187500001));
  PUT(as_uint((float)(in[1]*0.1)));
  PUT((bool)0.1f);
  PUT((bool)-0.0f);
  PUT((long)(char)in[1]*-1);
  PUT((int)1e9f);
  PUT((uint)3e9f);
  PUT((ulong)1e19f);
  PUT((long)-9e18f);
}

// Saturation and rounding.
// kernel: convert_functions
// global: 1
// arg: out ulong 35 => [0xff, 0, 0x7f, 0xffffffffffffff80, 0, 0xffffffff, 0, 2, 0xfffffffffffffffc, 3, 0xfffffffffffffffd, 0xfffffffffffffffe, 0xffff, 0xffffffffffff8000, 0x4effffff, 0x4b800001, 0xcb800001, 0x4b800002, 0x3dcccccd, 0x3dcccccc, 0xffffffffffffffff, 0x8000000000000000, 0x7fffffffffffffff, 0xff, 0xffffffffffffffff, 0x7f, 0, 0x7fffffffffffffff, 0x7fffffff, 0x7fffffff, 0, 0x7fff, 0x43dfffffffffffff, 0x43e0000000000000, 0x5f7fffff]
// arg: in int 64 = i
kernel void convert_functions(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(convert_uchar_sat(300));
  PUT(convert_uchar_sat(-5));
  PUT((long)convert_char_sat(200u));
  PUT((long)convert_char_sat(-1000.f));
  PUT(convert_uint_sat(-1.f));
  PUT(convert_uint_sat(5e9f));
  PUT((long)convert_int_sat(NAN));
  PUT((long)convert_int_rte(2.5f+in[0]));
  PUT((long)convert_int_rte(-3.5f));
  PUT((long)convert_int_rtp(2.1f));
  PUT((long)convert_int_rtn(-2.1f));
  PUT((long)convert_int_rtz(-2.9f));
  PUT(convert_ushort_sat_rte(65535.5f));
  PUT((long)convert_short_sat_rtn(-40000.f));
  PUT(as_uint(convert_float_rtz(0x7fffffff)));
  PUT(as_uint(convert_float_rtp(16777217)));
  PUT(as_uint(convert_float_rtn(-16777217)));
  PUT(as_uint(convert_float_rte(16777219)));
  PUT(as_uint(convert_float_rtp(0.1)));
  PUT(as_uint(convert_float_rtn(0.1)));
  PUT(convert_ulong_sat(1e20f));
  PUT((long)convert_long_sat(-1e20f));
  PUT((long)convert_long_sat(1e20f));
  PUT(convert_uchar4_sat((int4)(-1, 0, 255, 256)).w);
  PUT(convert_int4((float4)(1.9f, -1.9f, 0, -0.5f)).y);
  PUT((long)convert_char_sat((uchar)200));
  PUT(convert_ulong_sat(-1L));
  PUT((long)convert_long_sat(0xffffffffffffffffUL));
  PUT((long)convert_int_sat(0xffffffffu));
  PUT((long)convert_int_sat(0x80000000L));
  PUT(convert_uint_sat(-1L));
  PUT((long)convert_short_sat(1e9));
  PUT(as_ulong(convert_double_rtz(0x7fffffffffffffffL)));
  PUT(as_ulong(convert_double_rtp(0x7fffffffffffffffL)));
  PUT(as_uint(convert_float_rtn(0xffffffffffffffffUL)));
}

// Of vectors.
// kernel: vector_conversions
// global: 1
// arg: out ulong 19 => [0xff, 0xffffffffffffffff, 0x77665544, 0xffeeddccbbaa9988, 0x176, 0x88, 0, 2, 2, 0, 3, 0x3f800000, 0x40400000, 0x40400000, 0x1234, 0x4030201, 0xffff000300020001, 0xc8, 2]
// arg: in int 64 = i
kernel void vector_conversions(global ulong *out, global int *in) {
  int n_ = 0;
  uchar16 u;
  for (int i = 0; i < 16; i++)((uchar*)&u)[i] = in[i]*17;
  short16 s = convert_short16(u);
  PUT(s.sf);
  char16 c = as_char16(u);
  PUT((long)c.sf);
  int4 i4 = as_int4(u);
  PUT(i4.y);
  ulong2 l2 = as_ulong2(u);
  PUT(l2.y);
  float4 f = convert_float4(u.hi.lo);
  PUT(f.w*2);
  double4 d = convert_double4(f);
  PUT(d.x);
  long4 l = convert_long4_rte((double4)(0.5, 1.5, 2.5, -0.5));
  PUT(l.x);
  PUT(l.y);
  PUT(l.z);
  PUT(l.w);
  uint3 u3 = convert_uint3((float3)(1.5f, 2.5f, 3.9f));
  PUT(u3.z);
  PUT(as_uint(as_float(0x3f800000)));
  PUT(as_int3((float4)(1, 2, 3, 4)).z);
  PUT(as_int4((float3)(1, 2, 3)).z);
  ushort2 us = as_ushort2(0x12345678);
  PUT(us.y);
  PUT(as_int((char4)(1, 2, 3, 4)));
  PUT(as_long((short4)(1, 2, 3, -1)));
  PUT(as_char3((uchar4)(200)).z&0xff);
  PUT(as_double((ulong)0x3ff0000000000000)*2);
}

// Assignments, literals and their types.
// kernel: assignments
// global: 1
// arg: out ulong 38 => [0xffffffff, 0xffff, 0xff, 0xffffffff, 0xffffffff, 0xffffffffffffffff, 0xffffffff, 0xffffffffffffff80, 0x80, 0x4f800000, 0x4202a05f20000000, 0x7f800000, 2, 5, 0xffffffff, 0xffffff80, 0x6162, 0x80000000, 0x80000000, 0xffffffff80000000, 0, 0x100000000, 0xffffffff80000000, 0x80000000, 0xfff, 5, 0x3e8, 0x10, 4, 2, 2, 0xffffffff, 8, 4, 8, 4, 8, 8]
// arg: in int 64 = i
kernel void assignments(global ulong *out, global int *in) {
  int n_ = 0;
  short sh = -1;
  int i = sh;
  PUT((uint)i);
  ushort us = sh;
  i = us;
  PUT(i);
  uchar uc = sh;
  PUT(uc);
  long l = (uint)-1;
  PUT(l);
  l = -1;
  uint ui = l;
  PUT(ui);
  ulong ul = (int)-1;
  PUT(ul);
  ul = -1u;
  PUT(ul);
  l = (char)0x80;
  PUT(l);
  l = (uchar)0x80;
  PUT(l);
  float f = ul;
  PUT(as_uint(f));
  f = 1e10f;
  double d = f;
  PUT(as_ulong(d));
  f = d*1e30;
  PUT(as_uint(f));
  bool b = l;
  PUT(b+1);
  i = b*5;
  PUT(i);
  i = '\377';
  PUT((uint)i);
  i = '\x80';
  PUT((uint)i);
  i = 'ab';
  PUT(i);
  l = 0x80000000;
  PUT(l);
  l = 2147483648;
  PUT(l);
  l = -2147483648;
  PUT(l);
  l = 0xffffffff+1;
  PUT(l);
  l = 4294967295+1;
  PUT(l);
  l = 1 << 31;
  PUT(l);
  l = 1u << 31;
  PUT(l);
  PUT(07777);
  PUT(0b101);
  PUT(1e3);
  PUT(0x1p4);
  PUT(0x.8p1f*4);
  PUT(5.e-1*4);
  PUT(.5f*4);
  PUT(100u-101u);
  PUT(sizeof(1.0));
  PUT(sizeof(1.0f));
  PUT(sizeof(0x100000000));
  PUT(sizeof(0xffffffff));
  PUT(sizeof(2147483648));
  PUT(sizeof(1UL));
}

// double
// kernel: doubles
// global: 1
// arg: out ulong 30 => [0x3fd5555555555555, 0x3ff6a09e667f3bcd, 0x3eaaaaab, 0x3fd5555560000000, 0x4a03ce68d215540, 0x3ff0000000000000, 0xbfd5555555555555, 0x3fd5555555555555, 0xbc90000000000000, 0xbff0000000000000, 0x3ff0000000000000, 2, 0x43f0000000000000, 0x4340000000000000, 0x2e426101834d5400, 1, 0xfff0000000000000, 0, 0xedd29180, 0xbfe8000000000000, 0xc008000000000000, 0x3fe5555555555555, 0xffffffffffffffff, 0x155555555, 0x3fd5555555555556, 0x4000000000000000, 0xc008000000000000, 0xbfd5555555555555, 2, 0x4008000000000000]
// arg: in int 64 = i
kernel void doubles(global ulong *out, global int *in) {
  int n_ = 0;
  double d = in[1] / 3.0;
  PUT(as_ulong(d));
  PUT(as_ulong(sqrt((double)in[2])));
  float f = d;
  PUT(as_uint(f));
  PUT(as_ulong((double)f));
  PUT((long)(d*1e18));
  PUT(as_ulong(d*3));
  double2 v = (double2)(d, -d);
  PUT(as_ulong(v.y));
  v = fabs(v);
  PUT(as_ulong(v.y));
  PUT(as_ulong(fma(d, 3.0, -1.0)));
  PUT(as_ulong(floor(-d)));
  PUT(as_ulong(fmod(10.0*in[1], 3.0)));
  PUT(d < 0.3333333333333333 ? 1:d == 0.3333333333333333 ? 2:3);
  PUT(as_ulong((double)0xffffffffffffffffUL));
  PUT(as_ulong((double)(in[1]+(1L << 53))));
  PUT((ulong)(d*1e19));
  PUT((long)isnan((double)in[0] / in[0]));
  PUT(as_ulong(1.0 / (in[0]*-1.0)));
  PUT((int)-d);
  PUT((uint)3.99e9);
  double m;
  PUT(as_ulong(modf(-3.75*in[1], &m)));
  PUT(as_ulong(m));
  int e;
  PUT(as_ulong(frexp(d, &e)));
  PUT((long)e);
  PUT(as_ulong(ldexp(d, -1040)));
  PUT(as_ulong(nextafter(d, 1.0)));
  PUT(as_ulong(rint(2.5*in[1])));
  PUT(as_ulong(round(-2.5*in[1])));
  PUT(as_ulong(copysign(d, -0.0)));
  PUT((long)convert_int_rte(2.5*in[1]));
  PUT(as_ulong(mix(1.0, 3.0, d*3)));
}
