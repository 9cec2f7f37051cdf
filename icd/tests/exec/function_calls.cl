// Functions (CL 6.8, C99 6.9.1): static and inline, parameters of every kind, converted arguments and results.
// needs: cl_khr_fp64
#define PUT(x) out[n_++] = (ulong)(x)

static inline int sq(int x) {
  return x*x;
}
inline int cube(int x) {
  return x*sq(x);
}
static int even(int n, int d);
int apply(global int*p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += cube(p[i]);
  return s;
}
void swap(int*a, int*b) {
  int t = *a;
  *a = *b;
  *b = t;
}
int3 rot(int3 v) {
  return v.yzx;
}
void noret(int*x) {
  if (*x > 3) return;
  *x = 99;
}
float vec(const float4 v[2]) {
  return v[1].y;
}
struct R {
  int a;
  float b[2];
  char c;
};
struct R mk(int a) {
  struct R r = {a, { a+1, a+2},'c'};
  return r;
}
struct R upd(struct R r) {
  r.a++;
  r.b[1] *= 2;
  return r;
}
int arr2(int a[][3]) {
  return a[1][2];
}
int (paren)(int x) {
  return x+1;
}
static int even(int n, int d) {
  return n % 2 == 0 ? d:-d;
}
// kernel: calls
// global: 1
// arg: out ulong 17 => [0x64, 2, 1, 3, 1, 1, 1, 0x63, 7, 6, 0xe, 0x63, 5, 0xc, 6, 5, 0xfffffffffffffffe]
// arg: in int 64 = i
kernel void calls(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(apply(in, 5));
  int a = in[1], b = in[2];
  swap(&a, &b);
  PUT(a);
  PUT(b);
  int arr[3] = {1, 2, 3};
  swap(arr, &arr[2]);
  PUT(arr[0]);
  swap(&arr[in[1]], arr+in[2]);
  PUT(arr[1]);
  int3 r = rot((int3)(1, 2, 3));
  PUT(r.z);
  r = rot(rot(r));
  PUT(r.x);
  noret(&a);
  PUT(a);
  float4 vv[2] = {1, (float4)(1, 7, 2, 3)};
  PUT(vec(vv));
  struct R q = upd(mk(in[5]));
  PUT(q.a);
  PUT(q.b[1]);
  PUT(q.c);
  PUT(mk(3).b[1]);
  PUT(upd(upd(mk(1))).b[1]);
  int m[2][3] = {{1, 2, 3}, { 4, 5, 6}};
  PUT(arr2(m));
  PUT(paren(4));
  PUT((long)even(3, 2));
}

float av(float4 v) {
  return(v.x+v.y+v.z+v.w) / 4;
}
float4 mul(float4 a, float s) {
  return a*s;
}
uchar narrow(int x) {
  return x;
}
bool odd(int x) {
  return x;
}
char neg(uchar x) {
  return-x;
}
int many(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j, float4 k, int3 l, uchar16 m) {
  return a+b+c+d+e+f+g+h+(int)i+(int)j+(int)k.w+l.z+m.sf;
}
void out3(int*a, float4*b, uchar3*c) {
  *a = 5;
  (*b).y = 6;
  c->z = 7;
}
int arr(int a[4]) {
  a[1] = 9;
  return a[0];
}
int carr(const constant char*s) {
  int n = 0;
  while (*s++) n++;
  return n;
}
float id(float x) {
  return x;
}
long wide(int x) {
  return x;
}
uint un(int x) {
  return x;
}
int dflt(void) {
  return 3;
}
// kernel: parameters
// global: 1
// arg: out ulong 21 => [0xc, 0xc, 0x2c, 1, 0x38, 0x1013a, 5, 6, 7, 1, 9, 9, 9, 5, 0x1000000, 0xffffffffffffffff, 0xffffffff, 3, 0xff, 0, 0xffffffffb2d05e00]
// arg: in int 64 = i
kernel void parameters(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(av((float4)(1, 2, 3, 6))*4);
  PUT(mul((float4)(1, 2, 3, 4), in[3]).w);
  PUT(narrow(300));
  PUT(odd(256));
  PUT((long)neg(200));
  PUT(many(-1, 255, -2, 65535, 3, 4, 5, 6, 7.9f, 8.9, (float4)(9), (int3)(10), (uchar16)(11)));
  int a;
  float4 b = 0;
  uchar3 c = 0;
  out3(&a, &b, &c);
  PUT(a);
  PUT(b.y);
  PUT(c.z);
  int z[4] = {1, 2, 3, 4};
  PUT(arr(z));
  PUT(z[1]);
  PUT(arr(z+1));
  PUT(z[2]);
  PUT(carr("hello"));
  PUT(id(16777217));
  PUT((ulong)wide(-1));
  PUT((ulong)un(-1));
  PUT(dflt());
  PUT((float)narrow(-1.0f));
  PUT(odd(0.3f));
  PUT(wide(3000000000u));
}

int cnt(int*c) {
  return ++*c;
}
int add3(int a, int b, int c) {
  return a*100+b*10+c;
}
// Side effects in arguments.
// kernel: side_effects
// global: 1
// arg: out ulong 10 => [1, 0xc8, 2, 3, 5, 5, 0, 8, 0xa, 0xc]
// arg: in int 64 = i
kernel void side_effects(global ulong *out, global int *in) {
  int n_ = 0;
  int c = 0;
  int r = cnt(&c);
  PUT(r);
  PUT(add3(cnt(&c), 0, 0));
  PUT(c);
  int x[3] = {cnt(&c), 0, 0};
  PUT(x[0]);
  int y = cnt(&c)+0*cnt(&c);
  PUT(c);
  x[cnt(&c)-6] = 5;
  PUT(x[0]);
  PUT(x[1]);
  int z = (cnt(&c), cnt(&c));
  PUT(z);
  if (cnt(&c) == 9 && cnt(&c) == 10) PUT(c);
  PUT(cnt(&c) > 0 ? cnt(&c):0);
}

constant int g = 1;
int f(int g) {
  {
    int h = g+1;
    {
      int g = 3;
      if (g == 3) {
        int g = 4;
        g++;
        h += g;
      }
      h += g;
    }
    return h+g;
  }
}
struct g {
  int g;
};
int k(struct g g) {
  return g.g;
}
// Names in nested scopes.
// kernel: scopes
// global: 1
// arg: out ulong 14 => [0x1d, 5, 9, 5, 6, 3, 4, 4, 3, 7, 3, 2, 1, 1]
// arg: in int 64 = i
kernel void scopes(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(f(10));
  int g = 5;
  PUT(g);
  for (int g = 0; g < 1; g++) {
    int g = 9;
    PUT(g);
  }
  PUT(g);
  struct g z = {g+1};
  PUT(k(z));
  typedef int h;
  {
    h h = 3;
    PUT(h);
    PUT(sizeof h);
  }
  h i = 4;
  PUT(i);
  enum {
    A = 7
  };
  {
    int A = A+0*0;
    A = 3;
    PUT(A);
  }
  PUT(A);
  int x = 1;
  {
    int x = 2;
    {
      int x = 3;
      PUT(x);
    }
    PUT(x);
  }
  PUT(x);
  goto x;
  x: PUT(x);
}

// sizeof
// kernel: sizes
// global: 1
// arg: out ulong 40 => [1, 2, 8, 8, 8, 8, 0x10, 0x80, 1, 4, 8, 4, 4, 8, 4, 0, 4, 4, 8, 0x50, 0x18, 3, 8, 4, 8, 4, 4, 4, 0x10, 2, 4, 8, 8, 4, 8, 4, 0x10, 1, 1, 0x10]
// arg: in int 64 = i
kernel void sizes(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(sizeof(char));
  PUT(sizeof(short));
  PUT(sizeof(long));
  PUT(sizeof(size_t));
  PUT(sizeof(ptrdiff_t));
  PUT(sizeof(half*));
  PUT(sizeof(float3));
  PUT(sizeof(double16));
  PUT(sizeof(bool));
  PUT(sizeof(in[0]+1.0f));
  PUT(sizeof(in));
  PUT(sizeof(*in));
  PUT(sizeof 'a');
  PUT(sizeof(sizeof(1)));
  int n = 0;
  PUT(sizeof(n++));
  PUT(n);
  PUT(sizeof((char)1+(char)1));
  PUT(sizeof((short)1 << 1L));
  PUT(sizeof(1 ? 1L:1));
  PUT(sizeof(int[4][5]));
  PUT(sizeof(((int(*)[6])0)[0]));
  PUT(sizeof(struct{char c[3];}));
  PUT(sizeof(union{char c; double d;}));
  PUT(sizeof(enum{Q}));
  PUT(sizeof((float4)(1).xy));
  PUT(sizeof(-(char)1));
  PUT(sizeof(!1L));
  PUT(sizeof(1.0f < 2.0f));
  PUT(sizeof((float4)(1) < (float4)(2)));
  PUT(sizeof((char2)(1) == (char2)(2)));
  PUT(sizeof("a""bc"));
  PUT(sizeof(&n));
  PUT(sizeof(in[0], 1L));
  PUT(sizeof(n = 1L));
  PUT(sizeof(1u+1L));
  PUT(sizeof(1UL+1.0f));
  PUT(__alignof__(float3));
  PUT(__alignof__(char[7]));
  PUT(sizeof(event_t) > 0);
  PUT(sizeof(uchar16));
}
