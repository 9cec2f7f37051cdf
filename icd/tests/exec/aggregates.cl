// Structs, unions, enums, arrays, their initializers and layouts (CL 6.1.5, 6.5, C99 6.7.2, 6.7.8).
// needs: cl_khr_fp64
#define PUT(x) out[n_++] = (ulong)(x)

struct S {
  char a;
  int3 v;
  short b;
  long c;
  double3 d;
};
// Layout.
// kernel: layout
// global: 1
// arg: out ulong 6 => [0x60, 0x20, 0x10, 0x20, 0x28, 0x40]
// arg: in int 64 = i
kernel void layout(global ulong *out, global int *in) {
  int n_ = 0;
  struct S s;
  PUT(sizeof(s));
  PUT(__alignof__(struct S));
  PUT((ulong)&s.v-(ulong)&s);
  PUT((ulong)&s.b-(ulong)&s);
  PUT((ulong)&s.c-(ulong)&s);
  PUT((ulong)&s.d-(ulong)&s);
}

typedef struct __attribute__((packed)) {
  char a;
  int b;
  short c;
  float3 f;
}
P;
typedef struct {
  P p[2];
  uchar3 q[3];
} Q;
// Packed.
// kernel: packed
// global: 1
// arg: out ulong 14 => [0x17, 0x3c, 1, 2, 6, 0, 8, 9, 3, 0, 5, 2, 4, 1]
// arg: in int 64 = i
kernel void packed(global ulong *out, global int *in) {
  int n_ = 0;
  Q q = {{{1, 2, 3, (float3)(4, 5, 6)}, { .c = 9, .b = 8}}, { (uchar3)(1), { 2, 3, 4}}};
  PUT(sizeof(P));
  PUT(sizeof(Q));
  PUT(__alignof__(P));
  PUT(q.p[0].b);
  PUT(q.p[0].f.z);
  PUT(q.p[1].a);
  PUT(q.p[1].b);
  PUT(q.p[1].c);
  PUT(q.q[1].y);
  PUT(q.q[2].x);
  P x = q.p[in[0]];
  q.p[in[1]] = x;
  PUT(q.p[1].f.y);
  PUT(((char*)&q.p[1].b)[0]);
  x.b = 0x01020304;
  PUT(((uchar*)&x)[1]);
  PUT(((uchar*)&x)[4]);
}

typedef struct {
  int3 a[2][3];
  struct {
    uchar c;
    ushort2 s;
  } in_[2];
} T;
// Arrays of arrays of structs with vectors of three.
// kernel: nested_arrays
// global: 1
// arg: out ulong 9 => [9, 2, 0x70, 5, 2, 2, 1, 8, 8]
// arg: in int 64 = i
kernel void nested_arrays(global ulong *out, global int *in) {
  int n_ = 0;
  T t;
  for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) t.a[i][j] = (int3)(i, j, i*j+in[7]);
  t.in_[in[1]].c = 5;
  t.in_[0].s = (ushort2)(1, 2);
  t.in_[1].s.y = 7;
  T u = t;
  int i = in[1], j = in[2];
  PUT(u.a[i][j].z);
  PUT(u.a[0][j].y);
  PUT(sizeof(T));
  PUT(u.in_[i].c);
  PUT(u.in_[i-1].s.y);
  u.a[i][j].yx = u.a[i][j].xy;
  PUT(u.a[1][2].x);
  PUT(u.a[1][2].y);
  T*p = &u;
  p->a[i][0].z++;
  PUT((*p).a[1][0].z);
  PUT((&p->a[0][0])[4].z);
}

struct B {
  int x;
};
struct A {
  struct B b[3];
  struct {
    int y;
  } c;
  union {
    int u;
    float f;
  };
  char pad;
};
struct L {
  int v;
  struct L*n;
};
typedef struct N N;
struct N {
  N*l, *r;
  int k;
};
// Anonymous members, copies of members, lists.
// kernel: members
// global: 1
// arg: out ulong 19 => [2, 0xc, 5, 6, 3, 0xc, 0xc, 0xc, 0x7b, 0x1f, 3, 3, 0xc, 2, 3, 0x3f800000, 0x18, 0xc, 4]
// arg: in int 64 = i
kernel void members(global ulong *out, global int *in) {
  int n_ = 0;
  struct A a = {{{1}, { 2}, { 3}}, { 4}, { 5}, 6}, b;
  b = a;
  b.b[in[1]].x += 10;
  PUT(a.b[1].x);
  PUT(b.b[1].x);
  PUT(b.u);
  PUT(b.pad);
  struct A*p = &b;
  PUT(p->b[2].x);
  PUT((&p->b[0])[1].x);
  struct A arr[2] = {a, b};
  PUT(arr[in[1]].b[1].x);
  arr[0] = arr[1];
  PUT(arr[0].b[1].x);
  struct L l3 = {3, 0}, l2 = {2, &l3}, l1 = {1, &l2};
  int s = 0;
  for (struct L*q = &l1; q; q = q->n) s = s*10+q->v;
  PUT(s);
  N n1 = {0, 0, 1}, n2 = {0, 0, 3}, n = {&n1, &n2, 2};
  PUT(n.l->k+n.r->k*10);
  N*t = &n;
  t = t->r;
  PUT(t->k);
  struct B bb = in[1] ? a.b[2]:a.b[0];
  PUT(bb.x);
  PUT((in[0] ? a:b).b[1].x);
  struct {
    struct B z;
  } w;
  w.z = a.b[1];
  PUT(w.z.x);
  PUT(((struct B*)&a)[2].x);
  struct A c = *p;
  c.f = 1.0f;
  PUT(c.u);
  PUT(sizeof(struct A));
  PUT((ulong)&((struct A*)0)->c);
  struct E {
  } e;
  PUT(sizeof(a.c));
}

typedef union {
  float f;
  uint u;
  uchar b[4];
  struct {
    ushort l, h;
  } s;
  uchar4 v;
} U;
// kernel: unions_of_bytes
// global: 1
// arg: out ulong 12 => [0x3f800000, 0x3f, 0x3f80, 0x80, 0x10, 0x40ff0000, 0x78, 0x1234, 0x3f800000, 0x20001, 0x4030201, 2]
// arg: in int 64 = i
kernel void unions_of_bytes(global ulong *out, global int *in) {
  int n_ = 0;
  U u;
  u.f = 1.0f*in[1];
  PUT(u.u);
  PUT(u.b[3]);
  PUT(u.s.h);
  PUT(u.v.z);
  u.v.w = 0x40;
  PUT(u.f*4);
  u.b[in[2]] = 0xff;
  PUT(u.u);
  U w = {.u = 0x12345678};
  PUT(w.v.x);
  PUT(w.s.h);
  U a[3] = {{1.0f}, { .s = {1, 2}}, { .b = {1, 2, 3, 4}}};
  PUT(a[0].u);
  PUT(a[1].u);
  PUT(a[in[2]].u);
  w = a[in[1]];
  PUT(w.b[2]);
}

typedef union {
  long l[2];
  int4 v;
  double d;
  struct {
    int a;
    union {
      float g;
      int i;
    };
    int c;
  };
} U_unions_of_vectors;
// kernel: unions_of_vectors
// global: 1
// arg: out ulong 11 => [0x200000001, 0x400000003, 1, 2, 3, 0x40000000, 0xffffffff, 0x10, 0x3ff80000, 0x44, 0x10]
// arg: in int 64 = i
kernel void unions_of_vectors(global ulong *out, global int *in) {
  int n_ = 0;
  U_unions_of_vectors u;
  u.v = (int4)(1, 2, 3, 4);
  PUT(u.l[0]);
  PUT(u.l[1]);
  PUT(u.a);
  PUT(u.i);
  PUT(u.c);
  u.g = 2.0f;
  PUT(u.v.y);
  u.l[in[1]] = -1;
  PUT((uint)u.c);
  PUT(sizeof(U_unions_of_vectors));
  u.d = 1.5;
  PUT(u.v.y);
  union {
    char c;
    int3 i;
  } k;
  k.i = (int3)(0x11223344);
  PUT(k.c);
  PUT(sizeof(k));
}

enum E {
  A_enums = -1, B_enums, C = 5, D, F = C | 8, G = 'a', H = sizeof(int)
};
typedef enum {
  X = 0x7fffffff
} X_t;
// kernel: enums
// global: 1
// arg: out ulong 19 => [1, 0xffffffffffffffff, 0, 6, 0xd, 0x61, 4, 4, 1, 2, 3, 4, 0x7fffffff, 7, 4, 9, 3, 7, 0x10]
// arg: in int 64 = i
kernel void enums(global ulong *out, global int *in) {
  int n_ = 0;
  enum E e = in[5];
  PUT(e == C);
  PUT((long)A_enums);
  PUT(B_enums);
  PUT(D);
  PUT(F);
  PUT(G);
  PUT(H);
  PUT(sizeof(e));
  PUT(A_enums < 0);
  e = D;
  switch (e) {
    case A_enums:PUT(1);
    break;
    case D:PUT(2);
    case C:PUT(3);
    default:PUT(4);
  }
  X_t x = X;
  PUT(x);
  PUT(e+1.5f);
  enum {
    LA = 3, LB
  };
  PUT(LB);
  {
    enum {
      LA = 9
    };
    PUT(LA);
  }
  PUT(LA);
  int arr[LB] = {[LA] = 7};
  PUT(arr[3]);
  PUT(sizeof arr);
}

// Designators, missing braces, strings.
// kernel: initializers
// global: 1
// arg: out ulong 26 => [5, 5, 6, 0, 1, 2, 4, 0, 3, 9, 0, 3, 0, 4, 4, 0, 4, 4, 7, 0x41, 0x41, 0x79, 0, 0x65, 0, 2]
// arg: in int 64 = i
kernel void initializers(global ulong *out, global int *in) {
  int n_ = 0;
  int a[] = {[3] = 1, 2, [0] = 5, 6};
  PUT(sizeof(a) / 4);
  PUT(a[0]);
  PUT(a[1]);
  PUT(a[2]);
  PUT(a[3]);
  PUT(a[4]);
  int b[2][3] = {1, 2, 3, 4};
  PUT(b[1][0]);
  PUT(b[1][2]);
  int c[2][2] = {[1] = {[1] = 9}, [0][1] = 3};
  PUT(c[0][1]);
  PUT(c[1][1]);
  PUT(c[1][0]);
  struct {
    int x;
    int y[2];
    float4 f;
  } s = {.y[1] = 4, .f = (float4)(1, 2, 3, 4), .x = in[3]};
  PUT(s.x);
  PUT(s.y[0]);
  PUT(s.y[1]);
  PUT(s.f.w);
  struct {
    int x;
    struct {
      int p, q;
    } z[2];
  } t = {1, { { 2}, { 3, 4}}}, u = {1, 2, 3, 4, 5};
  PUT(t.z[0].q);
  PUT(t.z[1].q);
  PUT(u.z[1].p);
  char str[] = "ab\0c\x41\101";
  PUT(sizeof str);
  PUT(str[4]);
  PUT(str[5]);
  char sh[2] = "xy";
  PUT(sh[1]);
  char st[5] = "a";
  PUT(st[4]);
  constant char *p = "hello"+in[1];
  PUT(p[0]);
  int d[3] = {in[1], in[2]};
  PUT(d[2]);
  float2 v[2] = {1, 2, 3, 4};
  PUT(v[1].x);
}

constant int T_program_constants[2][3] = {{1, 2, 3}, { 4, 5, 6}};
constant int *constant P_program_constants[2] = {&T_program_constants[1][0], T_program_constants[0]+2};
constant struct {
  constant int*p;
  int n;
  char c[3];
  float3 f;
} S = {T_program_constants[1], 3,"ab", (float3)(1, 2, 3)};
constant char*constant names[] = {"zero","one","two"};
constant float4 V[2] = {(float4)(1), (float4)(1, 2, 3, 4)};
constant long L_program_constants = sizeof(T_program_constants)*2-1;
constant int N_program_constants = -5 / 2, M = -5 % 3, SH = 1 << 3 | 2;
constant float FF = 1 / 3.0f;
constant int C2 = (3 > 2) ? 7:8;
constant uchar UC = 300-45;
constant ulong adr = 0;
// Constants of the program.
// kernel: program_constants
// global: 1
// arg: out ulong 18 => [5, 3, 6, 0x62, 3, 0x77, 4, 0x2f, 0xfffffffffffffffe, 0xfffffffffffffffe, 0xa, 0x64, 7, 0xff, 0x18, 3, 6, 0]
// arg: in int 64 = i
kernel void program_constants(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(P_program_constants[0][1]);
  PUT(*P_program_constants[in[1]]);
  PUT(S.p[2]);
  PUT(S.c[1]);
  PUT(S.f.z);
  PUT(names[in[2]][1]);
  PUT(V[in[1]].w);
  PUT(L_program_constants);
  PUT((long)N_program_constants);
  PUT((long)M);
  PUT(SH);
  PUT(FF*300);
  PUT(C2);
  PUT(UC);
  PUT(sizeof(names));
  constant int*q = P_program_constants[in[0]];
  PUT(q[-1]);
  PUT(T_program_constants[in[1]][in[2]]);
  PUT(adr);
}

struct S_compound_literals {
  int a, b;
};
int f(struct S_compound_literals s) {
  return s.a*10+s.b;
}
int g(int*p) {
  return p[0]+p[1];
}
// Compound literals are objects.
// kernel: compound_literals
// global: 1
// arg: out ulong 15 => [0xc, 7, 6, 8, 0, 9, 0xb, 2, 0xa, 0xb, 0xc, 3, 3, 3, 8]
// arg: in int 64 = i
kernel void compound_literals(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(f((struct S_compound_literals) {1, 2}));
  PUT(g((int[]) {in[3], 4}));
  struct S_compound_literals*p = &(struct S_compound_literals) { 5, 6};
  p->a++;
  PUT(p->a);
  (struct S_compound_literals) {
    1, 2
  }
  .a;
  PUT(((struct S_compound_literals) {7, 8}).b);
  int*q = (int[3]) { 1, 2};
  PUT(q[2]);
  q[2] = 9;
  PUT(q[2]);
  PUT((int) {5}+(int) {in[6]});
  PUT(((int4) {1, 2, 3, 4}).y);
  for (int i = 0; i < 3; i++) {
    int*r = &(int) { i};
    *r += 10;
    PUT(*r);
  }
  PUT(sizeof((char[]) {1, 2, 3}));
  PUT(((int[]) {1, 2, 3})[in[2]]);
  PUT((&(struct S_compound_literals) {.b = 3})->b);
  PUT(*(&(int) {8}));
  ((int[2]) {0, 0})[1] = 4;
}

typedef int I3[3];
typedef I3 I23[2];
typedef float4 vec __attribute__((aligned(32)));
typedef struct {
  char c;
  vec v;
} SV;
typedef int fn(int);
fn ff;
typedef const int*cip;
typedef float f8 __attribute__((ext_vector_type(8)));
int g_typedefs(I3 a) {
  return a[2];
}
int ff(int x) {
  return x+1;
}
typedef enum {
  R, G_typedefs, B_typedefs
} col;
// Typedefs, attributes of alignment.
// kernel: typedefs
// global: 1
// arg: out ulong 20 => [6, 0x18, 0x40, 0x20, 2, 4, 8, 2, 1, 0x20, 0x10, 9, 2, 0xc, 3, 8, 5, 4, 8, 8]
// arg: in int 64 = i
kernel void typedefs(global ulong *out, global int *in) {
  int n_ = 0;
  I23 x = {{1, 2, 3}, { 4, 5, 6}};
  PUT(g_typedefs(x[1]));
  PUT(sizeof(I23));
  PUT(sizeof(SV));
  PUT(__alignof__(SV));
  cip p = x[0];
  PUT(p[1]);
  PUT(ff(3));
  f8 f = (f8)(1, 2, 3, 4, 5, 6, 7, 8);
  PUT(f.s7);
  col c = B_typedefs;
  PUT(c);
  int y __attribute__((aligned(64))) = 3;
  PUT(((ulong)&y&63) == 0);
  struct {
    char a;
    int b __attribute__((aligned(16)));
  } s = {1, 2};
  PUT(sizeof(s));
  PUT((ulong)&s.b-(ulong)&s);
  struct __attribute__((packed)) {
    char a;
    long b;
  }
  pk = {1, 2};
  PUT(sizeof pk);
  PUT(pk.b);
  struct {
    char a;
    long b;
  } __attribute__((packed, aligned(4))) q;
  PUT(sizeof q);
  PUT(sizeof(struct{char a; short b __attribute__((packed));}));
  union {
    char c[5];
    int i;
  } u;
  PUT(sizeof u);
  typedef int T;
  {
    T T = 5;
    PUT(T);
  }
  {
    int I3 = 4;
    PUT(I3);
  }
  PUT(sizeof(I3*));
  PUT(sizeof(int(*)[3]));
}

typedef struct {
  char a;
  int b;
} S_bytes_of_structs;
typedef union {
  S_bytes_of_structs s;
  uchar b[8];
} U_bytes_of_structs;
S_bytes_of_structs id(S_bytes_of_structs s) {
  return s;
}
// Unions of structs and bytes.
// kernel: bytes_of_structs
// global: 1
// arg: out ulong 8 => [1, 5, 8, 2, 4, 3, 0x8070605, 8]
// arg: in int 64 = i
kernel void bytes_of_structs(global ulong *out, global int *in) {
  int n_ = 0;
  U_bytes_of_structs u;
  for (int i = 0; i < 8; i++) u.b[i] = i+1;
  S_bytes_of_structs s = u.s;
  U_bytes_of_structs v;
  for (int i = 0; i < 8; i++) v.b[i] = 0xee;
  v.s = id(s);
  PUT(v.b[0]);
  PUT(v.b[4]);
  PUT(v.b[7]);
  U_bytes_of_structs w = u;
  PUT(w.b[1]);
  PUT(w.b[3]);
  v = w;
  PUT(v.b[2]);
  S_bytes_of_structs arr[2];
  arr[in[1]] = s;
  arr[in[0]] = arr[in[1]];
  PUT(arr[0].b);
  PUT(sizeof(U_bytes_of_structs));
}

typedef struct {
  float4 pos;
  int2 id;
  uchar3 col;
  short s[3];
} P_vectors_in_structs;
void mv(P_vectors_in_structs*p, float k) {
  p->pos.xyz += k*p->pos.w;
  p->pos.w *= 2;
  p->id.yx = p->id;
  p->col.z -= p->col.x;
  p->s[1] <<= 2;
}
// Vectors in structs by pointer.
// kernel: vectors_in_structs
// global: 1
// arg: out ulong 11 => [9, 8, 6, 2, 0xfffffffffffffff8, 7, 0x30, 0xc8, 0x73, 0xa, 0xb]
// arg: in int 64 = i
kernel void vectors_in_structs(global ulong *out, global int *in) {
  int n_ = 0;
  P_vectors_in_structs a[2];
  a[0].pos = (float4)(1, 2, 3, 4);
  a[0].id = (int2)(5, 6);
  a[0].col = (uchar3)(7, 8, 9);
  a[0].s[0] = 1;
  a[0].s[1] = -2;
  a[0].s[2] = 3;
  a[in[1]] = a[in[0]];
  mv(&a[in[1]], in[2]);
  PUT(a[1].pos.x);
  PUT(a[1].pos.w);
  PUT(a[1].id.x);
  PUT(a[1].col.z);
  PUT((long)a[1].s[1]);
  mv(a, 1);
  PUT(a[0].pos.z);
  PUT(sizeof(P_vectors_in_structs));
  P_vectors_in_structs*p = a+1;
  p->col.yz = (uchar2)(100, 200);
  PUT(p->col.z);
  (*p).s[in[2]] |= 0x70;
  PUT(p->s[2]);
  p[-1].id += p->id;
  PUT(a[0].id.y);
  p->pos.lo = p->pos.hi;
  PUT(p->pos.x);
}

typedef struct {
  int n;
  int*p;
  global int*g;
} P_structs_with_pointers;
P_structs_with_pointers mk(int*a, global int*g, int n) {
  P_structs_with_pointers r;
  r.n = n;
  r.p = a+n;
  r.g = g+n;
  return r;
}
P_structs_with_pointers nxt(P_structs_with_pointers p) {
  p.n++;
  p.p++;
  p.g += 2;
  return p;
}
int use(const P_structs_with_pointers*p, int k) {
  return*p->p*100+*p->g*10+p->n+k;
}
P_structs_with_pointers pick(int c, P_structs_with_pointers a, P_structs_with_pointers b) {
  return c ? a:b;
}
typedef struct {
  P_structs_with_pointers a[2];
  float4 v;
} W;
W wrap(P_structs_with_pointers a, P_structs_with_pointers b) {
  W w = {{a, b}, (float4)(a.n, b.n, 0, 1)};
  return w;
}
// Structs with pointers as results, arguments and operands of ?:.
// kernel: structs_with_pointers
// global: 1
// arg: out ulong 8 => [0xd3, 0x1c6, 3, 4, 3, 3, 0x4d, 3]
// arg: in int 64 = i
kernel void structs_with_pointers(global ulong *out, global int *in) {
  int n_ = 0;
  int a[6] = {1, 2, 3, 4, 5, 6};
  P_structs_with_pointers p = mk(a, in, in[1]);
  PUT(use(&p, 0));
  P_structs_with_pointers q = nxt(nxt(p));
  PUT(use(&q, 1));
  P_structs_with_pointers r = pick(in[0], p, q);
  PUT(r.n);
  W w = wrap(p, q);
  W x = w;
  PUT(x.a[in[1]].p[0]);
  PUT(x.v.y);
  x.a[in[0]] = x.a[in[1]];
  PUT(x.a[0].n);
  P_structs_with_pointers*z = &x.a[in[1]];
  z->p[0] = 77;
  PUT(a[3]);
  PUT(nxt(mk(a, in, 0)).g[1]);
}
