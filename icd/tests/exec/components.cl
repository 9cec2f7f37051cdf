// Components of vectors as values and as what is assigned to (CL 6.1.7), literals (6.1.6), lanes through pointers.
// needs: cl_khr_fp64
#define PUT(x) out[n_++] = (ulong)(x)

// Components in any order, halves of components.
// kernel: four
// global: 1
// arg: out ulong 24 => [2, 1, 4, 3, 1, 2, 9, 6, 5, 7, 0xa, 7, 0xc, 0x4d, 1, 2, 7, 0xa, 0x4d, 0xc, 0xc, 0x4d, 0xa, 7]
// arg: in int 64 = i
kernel void four(global ulong *out, global int *in) {
  int n_ = 0;
  int4 v = (int4)(in[1], in[2], in[3], in[4]);
  v.xy = v.yx;
  PUT(v.x);
  PUT(v.y);
  v.wzyx = v;
  PUT(v.x);
  PUT(v.y);
  PUT(v.z);
  PUT(v.w);
  v.lo.x = 9;
  v.hi.yx = (int2)(5, 6);
  PUT(v.x);
  PUT(v.z);
  PUT(v.w);
  v.even = (int2)(7);
  v.odd += v.even;
  PUT(v.x);
  PUT(v.y);
  PUT(v.z);
  PUT(v.w);
  int8 w = (int8)(v, v.wzyx);
  w.lo.hi.x = 77;
  PUT(w.s2);
  w.odd.even = (int2)(1, 2);
  PUT(w.s1);
  PUT(w.s5);
  w.s7531 = w.s0246;
  for (int i = 0; i < 8; i++) PUT(((int*)&w)[i]);
}

// Sixteen components.
// kernel: sixteen
// global: 1
// arg: out ulong 20 => [0, 2, 2, 0xc, 4, 0x28, 6, 0xe, 9, 9, 0xa, 0xb, 3, 2, 1, 0, 0, 0, 0xffffffffffffffff, 0]
// arg: in int 64 = i
kernel void sixteen(global ulong *out, global int *in) {
  int n_ = 0;
  int16 a;
  for (int i = 0; i < 16; i++)((int*)&a)[i] = in[i];
  a.sFEDC = a.s0123;
  a.hi.lo.even.x++;
  a.lo.odd <<= (int4)(1, 2, 3, 33);
  for (int i = 0; i < 16; i++) PUT(((int*)&a)[i]);
  a.s0 = a.sA = a.sf;
  PUT(a.s0);
  PUT(a.sA);
  a.lo.lo.lo = -a.hi.hi.hi;
  PUT(a.s0);
  PUT(a.s1);
}

// Three components: the fourth is not there.
// kernel: three
// global: 1
// arg: out ulong 13 => [0x2c, 0xc8, 0x96, 0x96, 0x2c, 0x96, 0x97, 0x96, 0xff, 3, 8, 9, 9]
// arg: in int 64 = i
kernel void three(global ulong *out, global int *in) {
  int n_ = 0;
  uchar3 c = (uchar3)(200, 100, 50);
  c.zyx += (uchar3)(100);
  PUT(c.x);
  PUT(c.y);
  PUT(c.z);
  c.xz = c.zx;
  PUT(c.x);
  PUT(c.z);
  uchar3 d = c++;
  PUT(d.x);
  PUT(c.x);
  --c;
  PUT(c.x);
  c.x = in[3]-4;
  PUT(c.x);
  c.hi.x = 3;
  PUT(c.z);
  c.lo = (uchar2)(8, 9);
  PUT(c.x);
  PUT(c.y);
  c.even.y;
  uchar2 e = c.odd;
  PUT(e.x);
}

// Halves of three components are assigned: nothing is stored for the fourth one, and the memory after it stays.
// kernel: halves_of_three
// global: 1
// arg: out ulong 20 => [1, 2, 7, 5, 2, 8, 5, 6, 8, 15, 6, 9, 1, 10, 11, 3, 4, 21, 22, 77]
// arg: in int 64 = i
// arg: inout int 8 = 77 => [1, 22, 21, 77, 77, 77, 77, 77]
kernel void halves_of_three(global ulong *out, global int *in, global int *memory) {
  int n_ = 0;
  int3 v = (int3)(in[1], in[2], in[3]);
  v.hi = (int2)(in[7], in[8]);
  PUT(v.x);
  PUT(v.y);
  PUT(v.z);
  v.even = (int2)(in[5], in[8]);
  PUT(v.x);
  PUT(v.y);
  PUT(v.z);
  v.odd = (int2)(in[6], in[9]);
  PUT(v.x);
  PUT(v.y);
  PUT(v.z);
  v.hi += (int2)(in[7], in[30]);
  v.hi.y = 50;
  v.odd.hi = 51;
  PUT(v.z);
  PUT(v.odd.x);
  v.odd.x = 9;
  PUT(v.y);
  local int3 l;
  l = (int3)(1, 2, 3);
  l.odd = (int2)(in[10], in[12]);
  l.hi.x = 11;
  l.hi.y = 12;
  PUT(l.x);
  PUT(l.y);
  PUT(l.z);
  uchar3 c = (uchar3)(3, 4, 5);
  c.zyx.odd = (uchar2)(3, 9);
  PUT(c.y);
  c.zyx.hi = (uchar2)(4, 9);
  PUT(c.x);
  global int3 *m = (global int3 *)memory;
  *m = (int3)(1, 2, 3);
  m->hi = (int2)(in[21], in[60]);
  m->odd = (int2)(in[22], in[61]);
  m->hi.y = 62;
  m->odd.hi = 63;
  PUT(m->z);
  PUT(m->y);
  PUT(memory[3]);
}

// Names of all kinds.
// kernel: names
// global: 1
// arg: out ulong 8 => [0xf, 0xf, 0x19, 0x1e, 0x64, 3, 0x3f7, 0x3c]
// arg: in int 64 = i
kernel void names(global ulong *out, global int *in) {
  int n_ = 0;
  float4 f = (float4)((float2)(1.5f, 2.5f), (float2)((float)in[3], 4));
  f.yzw = f.xyz;
  PUT(f.x*10);
  PUT(f.y*10);
  PUT(f.z*10);
  PUT(f.w*10);
  f.xyzw.zw.x = 100;
  PUT(f.z);
  (f).y = 3;
  PUT(f.y);
  f.rgba;
  float2 g = f.s01+f.s23;
  PUT(g.x*10);
  PUT(((float4)(g, g)).s3*10);
}

// Literals of scalars and vectors; each scalar is converted.
// kernel: literals
// global: 1
// arg: out ulong 21 => [1, 2, 3, 4, 4, 5, 6, 7, 3, 3, 0x2c, 0xffffffffffffffff, 0xffffffffffffff80, 1, 1, 4, 5, 0xffffffff, 1, 0xffffffffffffffff, 0x80000000]
// arg: in int 64 = i
kernel void literals(global ulong *out, global int *in) {
  int n_ = 0;
  int8 v = (int8)((int2)(1, 2), 3, (int4)((int2)(4), 5, (int)6.9f), 7);
  for (int i = 0; i < 8; i++) PUT(((int*)&v)[i]);
  int4 w = (int4)(in[2]+1.7f);
  PUT(w.x);
  PUT(w.w);
  char4 c = (char4)(300, -1, 128, 1);
  for (int i = 0; i < 4; i++) PUT((long)((char*)&c)[i]);
  float4 f = (float4)(v.lo.x, 2, 3u, 4l);
  PUT(f.x);
  PUT(f.w);
  double2 d = (double2)(1, 2.5);
  PUT(d.y*2);
  uint2 u = (uint2)(-1, 1.9f);
  PUT(u.x);
  PUT(u.y);
  ulong2 ul = (ulong2)(-1, 0x80000000);
  PUT(ul.x);
  PUT(ul.y);
}

// Nested literals, and vectors in initializers.
// kernel: nested_literals
// global: 1
// arg: out ulong 15 => [9, 0xa, 0xb, 9, 0x10, 0x20, 6, 4, 4, 2, 7, 0xa, 0x10, 3, 4]
// arg: in int 64 = i
kernel void nested_literals(global ulong *out, global int *in) {
  int n_ = 0;
  int3 a = (int3)((int2)(1, 2), 3);
  int3 b = (int3)(4);
  a = a+b*2;
  PUT(a.x);
  PUT(a.y);
  PUT(a.z);
  int4 q = (int4)(a, 9);
  PUT(q.w);
  PUT(sizeof(a));
  PUT(sizeof(int3[2]));
  int3 arr[2] = {{1, 2, 3}, { 4, 5, 6}};
  PUT(arr[1].z);
  PUT(((int*)arr)[4]);
  int4 m = ((int4)(1, 2, 3, 4)).wzyx;
  PUT(m.x);
  m = (int4) { 1, 2, 3, 4};
  PUT(m.y);
  m = (int4) { (int2)(7, 8), 9, 10};
  PUT(m.x);
  PUT(m.w);
  short2 s2[] = {(short2)(1, 2), 3, 4, (short2)5};
  PUT(sizeof(s2));
  PUT(s2[1].y);
  PUT(s2[2].x);
}

// Lanes by pointer.
// kernel: lanes_by_pointer
// global: 1
// arg: out ulong 8 => [6, 0x32, 0x184, 6, 9, 7, 0x38, 9]
// arg: in int 64 = i
kernel void lanes_by_pointer(global ulong *out, global int *in) {
  int n_ = 0;
  int8 v = (int8)(1, 2, 3, 4, 5, 6, 7, 8);
  int i = in[5];
  PUT(((int*)&v)[i]);
  ((int*)&v)[i] = 50;
  PUT(v.s5);
  int s = 0;
  for (int k = 0; k < 8; k++) s += ((int*)&v)[k]*k;
  PUT(s);
  float4 f[2];
  f[0] = (float4)(1, 2, 3, 4);
  f[1] = f[0]*2;
  PUT(((float*)f)[in[6]]);
  private float*p = (private float*)&f[1];
  p[in[1]] = 9;
  PUT(f[1].y);
  uchar4 c = (uchar4)(1, 2, 3, 4);
  uchar*u = (uchar*)&c;
  u[in[2]] += u[in[3]];
  PUT(c.z);
  long2 l;
  ((long*)&l)[in[0]] = 5;
  ((long*)&l)[in[1]] = 6;
  PUT(l.x*10+l.y);
  int4 w = 0;
  for (int k = 0; k < 4; k++) {
    int*q = (int*)&w+k;
    *q = k*k;
  }
  PUT(w.w);
}

// Arrays of vectors of three.
// kernel: arrays_of_three
// global: 1
// arg: out ulong 23 => [0xc, 0x17, 3, 0x63, 0x16, 5, 0x40, 3, 0x14, 4, 0x20, 0xa, 0xc, 2, 5, 3, 9, 0x13, 0x1c3, 1, 5, 4, 9]
// arg: in int 64 = i
kernel void arrays_of_three(global ulong *out, global int *in) {
  int n_ = 0;
  int3 v[4];
  for (int i = 0; i < 4; i++) v[i] = (int3)(i, i+10, i+20);
  PUT(v[in[2]].y);
  v[in[1]].xz = v[in[3]].zx;
  PUT(v[1].x);
  PUT(v[1].z);
  ((int*)&v[2])[1] = 99;
  PUT(v[2].y);
  int3*p = v+1;
  p++;
  PUT(p->z);
  (*p).x = 5;
  PUT(v[2].x);
  PUT(sizeof(v));
  int3 t = v[0];
  v[0] = v[3];
  v[3] = t;
  PUT(v[0].x);
  PUT(v[3].z);
  struct {
    int3 a;
    int b;
  } s = {(int3)(1, 2, 3), 4};
  PUT(s.b);
  PUT(sizeof s);
  s.a = v[in[3]];
  PUT(s.a.y);
  char3 c[3] = {(char3)(1), (char3)(2), (char3)(3)};
  PUT(sizeof(c));
  PUT(((char*)c)[4]);
  local int3 l[2];
  l[in[1]] = v[2];
  PUT(l[1].x);
  l[in[0]].y = 3;
  PUT(l[0].y);
  float3 f = (float3)(1, 2, 3);
  f *= f;
  PUT(f.z);
  f = f.zyx*2.0f+1;
  PUT(f.x);
  PUT(dot(f, f));
  PUT(cross((float3)(1, 0, 0), (float3)(0, 1, 0)).z);
  vstore3(v[2], in[0], (int*)&t);
  PUT(t.x);
  int buf[6] = {1, 2, 3, 4, 5, 6};
  PUT(vload3(1, buf).x);
  vstore3((int3)(7, 8, 9), in[1], buf);
  PUT(buf[5]);
}
