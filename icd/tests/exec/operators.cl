// Operators (CL 6.3), promotions and conversions of operands (6.2.6, C99 6.3.1).
// needs: cl_khr_fp64
#define PUT(x) out[n_++] = (ulong)(x)

// Counts are taken modulo the width of each lane.
// kernel: vector_shifts
// global: 1
// arg: out ulong 26 => [2, 2, 0xffffffffffffffe0, 0xffffffff80000000, 0, 2, 0xfffffffffffffffe, 0x20000000, 8, 0x10, 2, 2, 0xfffffffffffffff0, 0xffffffffffffff80, 0, 0xfffffffffffffffc, 0xf, 0x40, 0xfffffffffffffffe, 0xffffffffffff8000, 0xffff, 0x7fff, 2, 0x8000000000000000, 0xffffffffffffffff, 0x7fffffffffffffff]
// arg: in int 64 = i
kernel void vector_shifts(global ulong *out, global int *in) {
  int n_ = 0;
  int4 v = (int4)(1, 2, -8, 0x40000000);
  int4 s = (int4)(33, 32, 34, 1)+in[0];
  int4 r = v << s;
  PUT(r.x);
  PUT(r.y);
  PUT(r.z);
  PUT(r.w);
  r = v >> s;
  PUT(r.x);
  PUT(r.y);
  PUT(r.z);
  PUT(r.w);
  r = v << in[35];
  PUT(r.x);
  PUT(r.y);
  char4 c = (char4)(1, 2, -8, 127);
  char4 cs = (char4)(9, 8, 17, 7);
  char4 cr = c << cs;
  PUT((long)cr.x);
  PUT((long)cr.y);
  PUT((long)cr.z);
  PUT((long)cr.w);
  cr = c >> cs;
  PUT((long)cr.x);
  PUT((long)cr.z);
  uchar2 uc = (uchar2)(255, 128);
  uc = uc >> (uchar2)(4, 9);
  PUT(uc.x);
  PUT(uc.y);
  short2 sh = (short2)(-1, 1) << (short2)(17, 15);
  PUT((long)sh.x);
  PUT((long)sh.y);
  ushort2 us = (ushort2)(0xffff) >> (ushort2)(16, 17);
  PUT(us.x);
  PUT(us.y);
  long2 l = (long2)(1, -1) << (long2)(65, 63);
  PUT(l.x);
  PUT(l.y);
  ulong2 ul = (ulong2)(-1) >> (ulong2)(64+in[0], 65);
  PUT(ul.x);
  PUT(ul.y);
}

// Of scalars: modulo the width of the promoted left operand.
// kernel: scalar_shifts
// global: 1
// arg: out ulong 20 => [0x200, 0, 0xffffffff80000000, 0xffffffffff000000, 0, 0xffffffffffffffff, 0x7f, 0xfffffffffffffffd, 2, 0x200000000, 2, 2, 2, 0xffffffffffffffff, 0xffffffffffffffff, 4, 0xfffffffffffffff0, 0x90, 0, 0]
// arg: in int 64 = i
kernel void scalar_shifts(global ulong *out, global int *in) {
  int n_ = 0;
  char c = in[1];
  PUT((long)(c << in[9]));
  PUT((long)(char)(c << in[9]));
  PUT((long)(c << 31));
  uchar u = 255;
  PUT((long)(u << 24));
  PUT((long)(u >> in[9]));
  PUT((long)((char)-1 >> 1));
  PUT((long)((uchar)-1 >> 1));
  short s = -5;
  PUT((long)(s >> in[33]));
  PUT((long)(1 << in[33]));
  PUT((long)(1L << in[33]));
  PUT((long)(1UL << (in[1]+64)));
  PUT(1u << (long)in[33]);
  PUT((long)(in[1] << (long)in[33]));
  PUT((long)(-1 >> (uchar)in[40]));
  PUT((long)((long)-1 >> (uchar)(in[1]+128)));
  int x = in[1];
  x <<= in[34];
  PUT((long)x);
  x = -64;
  x >>= in[34];
  PUT((long)x);
  uchar y = 200;
  y <<= 1;
  PUT(y);
  y >>= 9;
  PUT(y);
  y = 129;
  y <<= in[8];
  PUT(y);
}

// ?: with vectors chooses lane by lane by the sign.
// kernel: vector_choice
// global: 1
// arg: out ulong 20 => [1, 6, 7, 4, 1, 1, 0x64, 7, 0x64, 0x19, 0xf, 2, 1, 2, 2, 1, 1, 2, 3, 4]
// arg: in int 64 = i
kernel void vector_choice(global ulong *out, global int *in) {
  int n_ = 0;
  int4 c = (int4)(-1, 0, 1, 0x80000000);
  int4 a = (int4)(1, 2, 3, 4), b = (int4)(5, 6, 7, 8);
  int4 r = c ? a:b;
  PUT(r.x);
  PUT(r.y);
  PUT(r.z);
  PUT(r.w);
  r = in[1] ? a:b;
  PUT(r.x);
  r = (a < b) ? a:in[9];
  PUT(r.x);
  r = c ? 100:b;
  PUT(r.x);
  PUT(r.z);
  PUT(r.w);
  float4 f = (a > 2) ? (float4)(1.5f):2.5f;
  PUT(f.x*10);
  PUT(f.z*10);
  float4 g = in[0] ? (float4)(1.f):(float4)(2.f);
  PUT(g.x);
  char4 cc = (char4)(-128, 1, 0, -1);
  uchar4 u = cc ? (uchar4)(1):(uchar4)(2);
  PUT(u.x);
  PUT(u.y);
  PUT(u.z);
  PUT(u.w);
  long2 l = (long2)(-1, 1) ? (long2)(1):(long2)(2);
  PUT(l.x);
  PUT(l.y);
  double2 d = ((double2)(1, 2) < (double2)(2, 1)) ? (double2)(3):(double2)(4);
  PUT(d.x);
  PUT(d.y);
}

// ?: with scalars converts both arms.
// kernel: scalar_choice
// global: 1
// arg: out ulong 15 => [1, 0xffffffff, 4, 8, 0xfa, 0xffffffff, 5, 3, 1, 3, 1, 9, 3, 0xc8, 0xfffffffffffffffd]
// arg: in int 64 = i
kernel void scalar_choice(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(in[1] ? 1:-1u > 0);
  PUT((long)(in[1] ? -1:1u));
  PUT(sizeof(in[1] ? (char)1:(short)2));
  PUT(sizeof(1 ? 1:1.0));
  PUT((long)(in[0] ? 1:(uchar)255)+(long)(in[0] ? (char)5:(char)-5));
  long x = in[1] ? -1:0u;
  PUT(x);
  float f = in[0] ? 1:2.5f;
  PUT(f*2);
  int y = in[1] ? in[2] ? 3:4:5;
  PUT(y);
  global int*p = in[0] ? in:0;
  PUT(p == 0);
  p = in[1] ? in+3:0;
  PUT(*p);
  int a = 1, b = 2;
  *(in[0] ? &a:&b) = 9;
  PUT(a);
  PUT(b);
  PUT((in[0], in[3]));
  PUT((long)(in[1] ? (uchar)200 : (char)-3));
  PUT((long)(true ? (char)-3:(ushort)1));
}

// char and short compute as int.
// kernel: promotions
// global: 1
// arg: out ulong 40 => [0x80, 0x100, 0xffffffffffffff00, 0xffffffffffffff01, 0xffffffffffffff80, 0xfffffffffffe0001, 0x10000, 0xfffe0001, 0, 0, 0, 1, 1, 0xffffffff, 0xffffffffffffffff, 1, 0xffffffff, 0xffffffffffffffff, 4, 4, 8, 4, 4, 4, 4, 0x2b, 0x39, 0xff, 0xffffffffffffffc8, 0xffffffffffffffee, 4, 0xf9, 4, 0xffffffffffffffff, 0xfffffffffffffffd, 0xf9, 0xfffffffffffffffc, 0xfffffffffffffff9, 0xfffffff9, 0xfff9]
// arg: in int 64 = i
kernel void promotions(global ulong *out, global int *in) {
  int n_ = 0;
  char a = 127, b = 1;
  PUT((long)(a+b));
  uchar c = 255;
  PUT((long)(c+1));
  PUT((long)~c);
  PUT((long)-c);
  PUT((long)(char)(a+b));
  ushort s = 65535;
  PUT((long)(s*s));
  PUT((long)(s+in[1]));
  PUT((ulong)(s*(uint)s));
  PUT(c == (char)-1);
  PUT((char)-1 == (ushort)65535);
  PUT(-1 < 1u);
  PUT(-1L < 1u);
  PUT(-1 < (ushort)1);
  PUT((long)(1u-2));
  PUT((long)(1u-2L));
  PUT(-1 > 0ul);
  PUT((long)(in[1]-2u));
  PUT((long)((uchar)in[1]-2));
  PUT(sizeof(a+b));
  PUT(sizeof(c << 1L));
  PUT(sizeof(a*1L));
  PUT(sizeof(+c));
  PUT(sizeof(!c));
  PUT(sizeof('a'));
  PUT(sizeof(a ? b:c));
  c += 300;
  PUT(c);
  c *= c;
  PUT(c);
  c = -1;
  PUT(c);
  a = 200;
  PUT((long)a);
  a /= 3;
  PUT((long)a);
  c = 250;
  c = c+10;
  PUT(c);
  c -= 11;
  PUT(c);
  c %= 7;
  PUT(c);
  char n = -7;
  PUT((long)(n % 3));
  PUT((long)(n / 2));
  PUT((long)(n&0xff));
  PUT((long)(n >> 1));
  PUT((ulong)n);
  PUT((uint)n);
  PUT((ushort)n);
}

// Comparisons of vectors give -1 in signed lanes of the same width.
// kernel: vector_comparisons
// global: 1
// arg: out ulong 22 => [0xffffffffffffffff, 0, 0xffffffffffffffff, 0, 0, 0xffffffffffffffff, 0, 0xffffffffffffffff, 0, 0xffffffffffffffff, 0, 0, 0xffffffffffffffff, 1, 0, 0, 0xffffffffffffffff, 0, 0xffffffffffffffff, 0xffffffffffffffff, 0, 0]
// arg: in int 64 = i
kernel void vector_comparisons(global ulong *out, global int *in) {
  int n_ = 0;
  uchar4 u = (uchar4)(255, 1, 2, 3);
  char4 eq = (u == (uchar4)(255, 0, 2, 4));
  PUT((long)eq.x);
  PUT((long)eq.y);
  short2 sq = (short2)(1, 2) < (short2)(2, 1);
  PUT((long)sq.x);
  PUT((long)sq.y);
  char4 n = !u;
  PUT((long)n.x);
  n = !(uchar4)(0, 1, 0, 1);
  PUT((long)n.x);
  PUT((long)n.y);
  char4 an = u && (uchar4)(1, 0, 1, 0);
  PUT((long)an.x);
  PUT((long)an.y);
  long2 d = (double2)(1, 2) == (double2)(1, 3);
  PUT(d.x);
  PUT(d.y);
  int2 f = (float2)(1, NAN) != (float2)(1, NAN);
  PUT((long)f.x);
  PUT((long)f.y);
  PUT((long)(in[1] == 1));
  PUT((long)!in[5]);
  PUT((long)(2.5f && in[0]));
  short4 o = (ushort4)(0) || (ushort4)(1, 0, 1, 0);
  PUT((long)o.x);
  PUT((long)o.y);
  int4 fn = !(float4)(0.f, -0.f, NAN, 1.f);
  PUT((long)fn.x);
  PUT((long)fn.y);
  PUT((long)fn.z);
  PUT((long)fn.w);
}

// Signed beside unsigned.
// kernel: comparisons
// global: 1
// arg: out ulong 34 => [0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 2, 1, 1]
// arg: in int 64 = i
kernel void comparisons(global ulong *out, global int *in) {
  int n_ = 0;
  uint u = in[1];
  int i = -in[1];
  PUT(i < u);
  PUT(i > u);
  PUT(i == (int)-1);
  PUT((uint)i == 0xffffffff);
  PUT(i == 0xffffffff);
  PUT(i < 0xffffffffL);
  PUT((long)i < (ulong)1);
  PUT((short)i < (ushort)1);
  PUT((ushort)i < i+70000);
  PUT((char)200 < 0);
  PUT((uchar)200 < 0);
  PUT((long)u-2 < 0);
  PUT(u-2 < 0);
  PUT((uchar)(u-2) == 255);
  PUT(i < 0.5f);
  PUT(u < -0.5f);
  PUT(0.1 == 0.1f);
  PUT(16777217 == 16777216.0f);
  PUT(in[0] == -0.0f);
  PUT(NAN == NAN);
  PUT(NAN != NAN);
  PUT(!(NAN < 1));
  PUT(NAN >= 1);
  PUT((float)in[0] / in[0] != (float)in[0] / in[0]);
  PUT(-1 < sizeof(int));
  PUT((int)(sizeof(int)) > -1);
  PUT(true == 2);
  PUT((bool)2 == true);
  PUT((bool)0.5f);
  PUT((bool)in);
  bool b = 256;
  PUT(b);
  b = in[4];
  PUT(b+b);
  b = 0.25;
  PUT(b);
  PUT(sizeof(bool));
}

// Precedence, short circuits.
// kernel: precedence
// global: 1
// arg: out ulong 40 => [0, 0, 1, 0, 1, 0, 2, 1, 1, 0, 1, 3, 0xff, 1, 1, 0x20, 3, 5, 6, 2, 1, 0xffffffffffffffff, 1, 3, 3, 3, 2, 6, 5, 2, 0x28, 2, 4, 5, 8, 0x26, 1, 1, 1, 1]
// arg: in int 64 = i
kernel void precedence(global ulong *out, global int *in) {
  int n_ = 0;
  int n = 0;
  PUT(in[0] && n++);
  PUT(n);
  PUT(in[1] || n++);
  PUT(n);
  PUT(!in[0] && !n);
  int*p = 0;
  PUT(p && *p);
  PUT(in[0] ? 1:in[1] ? 2:3);
  PUT((in[0] || in[1]) && (in[2] && in[3]));
  PUT(!!in[5]);
  PUT(!in);
  PUT(1.5 && 0.5f);
  PUT(in[1]&in[2] | in[4] ^ in[7]);
  PUT(~in[0]&0xff);
  PUT(-in[1] >> 31&1);
  PUT(5&6 == 6);
  PUT(1 << 2+3);
  PUT(10-4-3);
  PUT(100 / 10 / 2);
  PUT(7 % 4*2);
  PUT(2*7 % 4);
  PUT(-7 / 2*2+7);
  PUT((long)(-7 % 2));
  PUT(!5+1);
  PUT(-(-3));
  PUT(- -3);
  PUT(+-+3+6);
  PUT(1 ? 2:0 ? 3:4);
  int a = 1, b = 2;
  a = b = 3;
  PUT(a+b);
  a += b -= 1;
  PUT(a);
  PUT(b);
  a <<= b |= 1;
  PUT(a);
  PUT(a-- - --a);
  PUT((a, b)+1);
  PUT(sizeof a+1);
  PUT(sizeof(int)*2);
  PUT(*&a);
  PUT(&a == &*&a);
  PUT(a > b > 0);
  PUT(1 < 3 < 2);
  PUT(a == b == 0);
}

// kernel: unary
// global: 1
// arg: out ulong 24 => [0xffffffffffffff38, 0x38, 0xffffffffffffff37, 0, 0x8000, 0xffffffffffff8000, 0xffffffff, 0xfffffffe, 1, 0xffffffffffffffff, 0xffffffffffffff80, 0xffffffffffffffff, 0xfb, 0x80000000, 0x80000000, 0x80000000, 0, 0x80000000, 0xffffffffffffffff, 0, 0, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffff80000000]
// arg: in int 64 = i
kernel void unary(global ulong *out, global int *in) {
  int n_ = 0;
  uchar c = 200;
  PUT((long)-c);
  PUT((uchar)-c);
  PUT((long)~c);
  PUT(!c);
  short s = -32768;
  PUT((long)-s);
  PUT((short)-s);
  uint u = 1;
  PUT(-u);
  PUT(~u);
  PUT(-u > 0);
  ulong l = 1;
  PUT(-l);
  char4 v = (char4)(-128, 1, 2, 3);
  v = -v;
  PUT((long)v.x);
  PUT((long)v.y);
  uchar4 n = ~(uchar4)(1, 2, 3, 4);
  PUT(n.w);
  float4 f = -(float4)(0.f, 1, 2, 3);
  PUT(as_uint(f.x));
  PUT(as_uint(-0.f));
  PUT(as_uint(+(-0.f)));
  PUT(as_uint(0.f-0.f));
  PUT(as_uint(-(float)in[0]));
  int2 i2 = !(int2)(0, 5);
  PUT((long)i2.x);
  PUT(i2.y);
  i2 = ~i2;
  PUT(i2.x);
  i2 = +i2;
  PUT((long)i2.y);
  PUT((long)-in[1]);
  PUT((long)(-(-2147483647-1)));
}

// Division rounds to zero; the remainder has the sign of the dividend.
// kernel: divisions
// global: 1
// arg: out ulong 34 => [0xfffffffffffffffd, 0xffffffffffffffff, 0xfffffffffffffffd, 1, 0x7ffffffc, 1, 0x5555555555555553, 0xffffffffffffff80, 0x8000, 0xfffffffffffffffc, 0xffffffffffffffff, 0xfffffffffffffffd, 0xfffffffffffffffd, 0xfffffffffffffffe, 0xfffffffffffffffe, 0xffffffffffffffff, 0xfffffffffffffffe, 0x23, 0xffffffffffffffdf, 0xffffffffffffffe4, 0x1999999999999999, 0x5555555555555555, 0xffffffdebd0cfdb7, 0xfffffffffffffca7, 0xfffffffffffffffe, 1, 0x2aaaaaaa, 0x372, 0xffffffffffffc000, 0xffffffffffffffac, 0x7fffffff, 0x3eaaaaab, 0x3eaaaaab, 0xff800000]
// arg: in int 64 = i
kernel void divisions(global ulong *out, global int *in) {
  int n_ = 0;
  PUT((long)(-7 / in[2]));
  PUT((long)(-7 % in[2]));
  PUT((long)(7 / -in[2]));
  PUT((long)(7 % -in[2]));
  PUT((uint)-7 / in[2]);
  PUT((uint)-7 % in[2]);
  PUT((ulong)-7 / in[3]);
  PUT((long)(char)-128 / in[1]);
  PUT((long)((short)-32768 / (short)-in[1]));
  PUT((long)(-9L / (long)in[2]));
  PUT((long)(-9L % (long)in[2]));
  int4 v = (int4)(-7, 7, -8, 8) / (int4)(2, -2, 3, -3);
  PUT((long)v.x);
  PUT((long)v.y);
  PUT((long)v.z);
  PUT((long)v.w);
  v = (int4)(-7, 7, -8, 8) % 3;
  PUT((long)v.x);
  PUT((long)v.z);
  uchar4 u = (uchar4)(250) / (uchar4)(7, 8, 9, 10);
  PUT(u.x);
  char4 c = (char4)(-100) / (char4)(3);
  PUT((long)c.x);
  c = (char4)(-128) % (char4)(100);
  PUT((long)c.x);
  ulong2 l = (ulong2)(-1) / (ulong2)(10, 3);
  PUT(l.x);
  PUT(l.y);
  long2 m = (long2)(-1000000000000L) / (long2)(7);
  PUT(m.x);
  m %= (long2)(1000, -7);
  PUT(m.x);
  PUT(m.y);
  PUT((long)((char)in[100 / 50] / (char)2));
  uint k = 0x80000000;
  k /= in[3];
  PUT(k);
  k %= 1000;
  PUT(k);
  short s = -32768;
  s /= in[2];
  PUT((long)s);
  s %= 100;
  PUT((long)s);
  PUT(-1 / 2u);
  PUT(as_uint(1.f / 3));
  PUT(as_uint((float)in[1] / in[3]));
  PUT(as_uint(-1.f / in[0]));
}

// Vectors with scalars.
// kernel: vectors_and_scalars
// global: 1
// arg: out ulong 27 => [2, 0xa, 0xa, 0x6f, 8, 2, 0x10, 0, 5, 4, 4, 8, 8, 3, 5, 5, 3, 4, 0x13, 0xffffffffffffffff, 0, 0xffffffffffffffff, 0, 1, 6, 0x69, 0xd]
// arg: in int 64 = i
kernel void vectors_and_scalars(global ulong *out, global int *in) {
  int n_ = 0;
  float4 f = (float4)(1, 2, 3, 4);
  f = f+1;
  PUT(f.x);
  f = 2*f;
  PUT(f.w);
  f += f.x;
  PUT(f.y);
  f = f*f.wzyx-1.0f;
  PUT(f.x);
  int4 i = (int4)(1, 2, 3, 4);
  i = i*in[2];
  PUT(i.w);
  i = 10-i;
  PUT(i.w);
  i = i << 1;
  PUT(i.x);
  i = i&in[6];
  PUT(i.x);
  i |= 1;
  PUT(i.y);
  i ^= i.yxwz;
  PUT(i.x);
  uchar4 u = (uchar4)(1)+(uchar)3;
  PUT(u.x);
  u = u+u.w;
  PUT(u.x);
  short8 s = (short8)(3);
  s = s*s-(short)1;
  PUT(s.s7);
  ulong2 l = (ulong2)(1, 2);
  l = l+1;
  PUT(l.y);
  l = in[3]+l;
  PUT(l.x);
  double2 d = (double2)(1.5, 2.5);
  d = d*2;
  PUT(d.y);
  d /= 2.f;
  PUT(d.x*2);
  float2 g = (float2)(in[1], in[2]);
  g = g / in[4];
  PUT(g.y*8);
  g = (float2)(5)-g;
  PUT(g.x*4);
  int2 cmp = g > 4.6f;
  PUT((long)cmp.x);
  PUT((long)cmp.y);
  cmp = (int2)(in[1], in[2]) == 2;
  PUT((long)cmp.y);
  i = -i;
  i = ~i;
  i = !i;
  PUT((long)i.x);
  i += true;
  PUT((long)i.x);
  char2 c = (char2)(1, 2)*(char)in[3];
  PUT((long)c.y);
  float x = f.x+i.x*2-u.y;
  PUT((long)x);
  long q = l.x*i.y+s.s3;
  PUT(q);
}

// kernel: increments
// global: 1
// arg: out ulong 23 => [8, 0, 6, 6, 5, 5, 0xffffffffffffff80, 0xff, 0xf, 0xf, 0x7fff, 1, 1, 1, 2, 3, 1, 0xffffffffffffffff, 1, 1, 2, 1, 2]
// arg: in int 64 = i
kernel void increments(global ulong *out, global int *in) {
  int n_ = 0;
  int i = in[3];
  PUT(i++ + ++i);
  int a[3] = {0, 0, 0}, k = 0;
  a[k++] = k;
  PUT(a[0]);
  int*p = a;
  *p++ = 5;
  *++p = 6;
  PUT(a[2]);
  PUT((*p)--);
  PUT(*p);
  PUT(p[-2]);
  char c = 127;
  c++;
  PUT((long)c);
  uchar u = 0;
  u--;
  PUT(u);
  float f = 1.5f;
  PUT(f++*10);
  PUT(--f*10);
  short s = -32768;
  s--;
  PUT(s);
  bool b = 0;
  b++;
  PUT(b);
  b++;
  PUT(b);
  int4 v = (int4)(1);
  int4 w = v++;
  PUT(w.x);
  PUT(v.x);
  v.y++;
  PUT(v.y);
  (v.z)--;
  PUT(v.z);
  ulong l = 0;
  l--;
  PUT(l);
  a[i = 1]++;
  PUT(a[1]);
  int**q;
  int*z = a;
  q = &z;
  (*q)++;
  PUT(z-a);
  ++**q;
  PUT(a[1]);
  double d = 0;
  d++;
  PUT(d);
  half*h = 0;
  h++;
  PUT((ulong)h-(ulong)(half*)0);
}

// kernel: commas
// global: 1
// arg: out ulong 12 => [3, 4, 2, 0xa, 0xb, 2, 4, 4, 2, 2, 3, 7]
// arg: in int 64 = i
kernel void commas(global ulong *out, global int *in) {
  int n_ = 0;
  int a = (in[1], in[2], in[3]);
  PUT(a);
  int i, j;
  for (i = 0, j = 10; i < j; i++, j -= 2);
  PUT(i);
  PUT(j);
  a = (i = 5, i*2);
  PUT(a);
  PUT((a++, a));
  int b[2] = {(1, 2), 3};
  PUT(b[0]);
  PUT(in[(1, 4)]);
  int4 v = (int4)((1, 2, 3, 4));
  PUT(v.x);
  if (a = 0, a) PUT(1);
  else PUT(2);
  while (i--, i > 2);
  PUT(i);
  PUT((in[1] ? a = 3, a:4));
  a = 1, b[0] = 7;
  PUT(b[0]);
  return;
}

bool f(bool x) {
  return!x;
}
// kernel: booleans
// global: 1
// arg: out ulong 34 => [1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 8, 2, 4, 1, 8, 0xffffffffffffffff, 1, 2, 1, 1, 5, 2, 2, 0, 1, 1, 1, 1, 7, 2, 9]
// arg: in int 64 = i
kernel void booleans(global ulong *out, global int *in) {
  int n_ = 0;
  bool b = in[2];
  PUT(b);
  b = in[0];
  PUT(b);
  b = 0.1f;
  PUT(b);
  b = -1;
  PUT(b);
  b = &b;
  PUT(b);
  b |= 2;
  PUT(b);
  b &= 2;
  PUT(b);
  b ^= 1;
  PUT(b);
  b += 5;
  PUT(b);
  b = b-1;
  PUT(b);
  b = !b;
  PUT(b);
  PUT(f(5));
  PUT(~b&1);
  PUT(b << 3);
  bool a[4] = {0, 1, 2, 0.5f};
  PUT(a[2]+a[3]);
  PUT(sizeof(a));
  struct {
    char c;
    bool b;
    int i;
  } s = {1, 2, 3};
  PUT(s.b);
  PUT(sizeof s);
  PUT(-b);
  PUT((char)b);
  PUT((float)b*2);
  PUT(b ? 1:2);
  int4 v = (int4)(b);
  PUT((long)v.x);
  v = b ? (int4)(5):(int4)(6);
  PUT(v.x);
  PUT((bool)in[2]+(bool)in[3]);
  PUT(true+true);
  PUT(b == 2);
  PUT((int)(bool)256);
  uchar u = b;
  PUT(u);
  b = u == 1;
  PUT(b);
  b = in[1] < in[2];
  PUT(b);
  switch (b) {
    case true:PUT(7);
    break;
    case false:PUT(8);
  }
  int x = b;
  x = x << b;
  PUT(x);
  for (bool k = false; !k; k = true) PUT(9);
}

// Wrapping.
// kernel: wrapping
// global: 1
// arg: out ulong 21 => [0xffffffff, 0xffffffffffff8000, 0, 0x8000000000000000, 0, 0xffffffff80001219, 0xfffffffe00000001, 1, 0xffffffffffffff80, 0xffffffffffffff80, 0x5f90, 0x3100, 0xffffffff80000000, 0xffffffffffffffff, 1, 0xffffffff00000000, 0x100000000, 0xffffffffffff8000, 0x7fff, 0x90, 0x2c]
// arg: in int 64 = i
kernel void wrapping(global ulong *out, global int *in) {
  int n_ = 0;
  uint u = 0;
  u -= in[1];
  PUT(u);
  short s = 32767;
  s += in[1];
  PUT((long)s);
  uchar c = 255;
  c += in[1];
  PUT(c);
  long l = 0x7fffffffffffffffL;
  l += in[1];
  PUT(l);
  int p = 65536*in[1];
  p *= 65536;
  PUT((long)p);
  PUT((long)(46341*in[1]*46341));
  ulong q = 0xffffffffUL*in[1];
  q *= q;
  PUT(q);
  PUT((uint)(in[1]*-1)*(uint)(in[1]*-1));
  char ch = -128;
  ch = -ch;
  PUT((long)ch);
  ch /= (char)-in[1];
  PUT((long)ch);
  ushort us = 300;
  us *= us;
  PUT(us);
  us = us*us;
  PUT(us);
  int sh = in[1] << 31;
  PUT((long)sh);
  PUT((long)(sh >> 31));
  PUT((uint)sh >> 31);
  PUT((long)((long)sh << 1));
  PUT((ulong)(uint)sh << 1);
  short2 v = (short2)(32767, -32768);
  v += (short)1;
  PUT((long)v.x);
  v -= (short2)(1, 2);
  PUT((long)v.y);
  uchar2 w = (uchar2)(200, 100)*(uchar2)(2, 3);
  PUT(w.x);
  PUT(w.y);
}

// Division by constants.
// kernel: by_constants
// global: 1
// arg: out ulong 30 => [0x55555553, 0x24924923, 0x19999999, 1, 0x663d80, 0xfffb, 1, 0xffffffffd5555556, 0xffffffffedb6db6e, 0x19999999, 0xfffffffffffffff9, 0xfffffffff8000001, 0xfffffffffffffff1, 0x7fffffff, 0x54f43e32d21c10b0, 0x197c790f3f086b68, 0x38038927, 0xfedcba97, 0xff9ee8dd7cc6bb5b, 0x299c335ccf6690, 0xfffffffffffffffa, 0xffffedcba9876544, 0x53, 0, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffedb7, 0xffffffffffffffff, 0x1249, 0x44]
// arg: in int 64 = i
kernel void by_constants(global ulong *out, global int *in) {
  int n_ = 0;
  uint u = in[1]*4294967291u;
  PUT(u / 3);
  PUT(u / 7);
  PUT(u / 10);
  PUT(u % 10);
  PUT(u / 641);
  PUT(u % 65535);
  PUT(u / 0x80000001u);
  int i = -in[1]*2147483647;
  PUT((long)(i / 3));
  PUT((long)(i / 7));
  PUT((long)(i / -5));
  PUT((long)(i % 10));
  PUT((long)(i / 16));
  PUT((long)(i % 16));
  PUT((long)(i / -1));
  ulong l = in[1]*0xfedcba9876543210UL;
  PUT(l / 3);
  PUT(l / 10);
  PUT(l % 1000000007);
  PUT(l / 0x100000001UL);
  long s = (long)l;
  PUT(s / 3);
  PUT(s / -7);
  PUT(s % 10);
  PUT(s / 4096);
  uchar c = in[1]*251;
  PUT(c / 3);
  PUT(c / 7 % 5);
  char d = (char)c;
  PUT((long)(d / 3));
  PUT((long)(d % 4));
  short h = in[1]*-32768;
  PUT((long)(h / 7));
  PUT((long)(h % 7));
  ushort us = h;
  PUT(us / 7);
  PUT(us % 100);
}

// A bool as a component is 1; cast to a vector of integers it is all ones (6.2.2).
// kernel: bool_lanes
// global: 1
// arg: out ulong 11 => [1, 0xffffffffffffffff, 1, 1, 1, 1, 2, 0xff, 1, 1, 1]
// arg: in int 64 = i
kernel void bool_lanes(global ulong *out, global int *in) {
  int n_ = 0;
  bool b = in[2];
  int4 v = (int4)(b);
  PUT((long)v.x);
  v = (int4)b;
  PUT((long)v.x);
  int a = in[3];
  v = (int4)(a > 2);
  PUT((long)v.x);
  v = (int4)(a > 2, 1, a < 2, b);
  PUT((long)v.w);
  v = a > 2;
  PUT((long)v.x);
  float4 f = (float4)(b);
  PUT((long)f.x);
  v = (int4)1;
  v += b;
  PUT((long)v.x);
  uchar2 u = (uchar2)b;
  PUT(u.x);
  u = (uchar2)(b, b);
  PUT(u.x);
  v = (int4) { b, b, b, b};
  PUT((long)v.x);
  v = b ? b:(int4)5;
  PUT((long)v.x);
}
