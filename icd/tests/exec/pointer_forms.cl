// Pointers: arithmetic, qualifiers, to pointers, to arrays (C99 6.5.6, 6.7.5.1).
// needs: cl_khr_fp64
#define PUT(x) out[n_++] = (ulong)(x)

// kernel: arithmetic
// global: 1
// arg: out ulong 37 => [4, 0x10, 9, 4, 5, 1, 1, 9, 0x24, 0x19, 0x31, 0x10, 0x24, 0x24, 0xfffffffffffffffc, 3, 1, 9, 8, 4, 5, 6, 9, 4, 0xb, 6, 8, 5, 5, 4, 2, 1, 1, 1, 1, 0x10, 0x110]
// arg: in int 64 = i
kernel void arithmetic(global ulong *out, global int *in) {
  int n_ = 0;
  int a[10];
  for (int i = 0; i < 10; i++) a[i] = i*i;
  int*p = a+2, *e = &a[9];
  PUT(*p++);
  PUT(*++p);
  PUT(p[-1]);
  PUT(*(p-2));
  PUT(e-p);
  PUT(p < e);
  PUT(1[a]);
  PUT(*(a+3));
  PUT((p += 2)[0]);
  PUT(*--p);
  int(*q)[5] = (int(*)[5])a;
  PUT(q[1][2]);
  PUT((*q)[4]);
  PUT(*(*(q+1)+1));
  PUT((char*)e-(char*)a);
  long d = p-e;
  PUT(d);
  PUT(&a[3]-a);
  PUT((uint*)p == (uint*)&a[p-a]);
  const int*c = a;
  c += in[3];
  PUT(*c);
  int b[3][4];
  for (int i = 0; i < 12; i++) b[i / 4][i % 4] = i;
  PUT(*b[2]);
  PUT(**(b+1));
  PUT(*(*b+5));
  PUT(b[in[1]][in[2]]);
  int*rows[3] = {b[2], b[0], b[1]};
  PUT(rows[in[0]][1]);
  PUT(*rows[in[2]]);
  int**r = rows+1;
  PUT(r[-1][3]);
  void*v = b;
  PUT(((int*)v)[6]);
  v = rows;
  PUT(**(int**)v);
  global int*g = in+5;
  PUT(g-in);
  PUT(*g);
  PUT((ulong)(g+1)-(ulong)g);
  g = &in[3]-1;
  PUT(*g);
  global int*gn = NULL;
  PUT(gn == 0);
  PUT(!gn);
  gn = g;
  PUT(gn != NULL);
  PUT(gn > in);
  uchar*u = (uchar*)&a[4];
  PUT(u[0]);
  u[1] = 1;
  PUT(a[4]);
}

constant int tab[3] = {1, 2, 3};
int rd(const int*const*p) {
  return **p;
}
int rd2(const int *restrict p, int volatile*q) {
  return *p+*q;
}
// kernel: qualified
// global: 1
// arg: out ulong 19 => [7, 8, 8, 0x10, 6, 6, 8, 5, 6, 1, 8, 3, 5, 0x18, 0xc, 5, 1, 1, 0xc]
// arg: in int 64 = i
kernel void qualified(global ulong *out, global int *in) {
  int n_ = 0;
  int x = in[7];
  const int*p = &x;
  const int*const*pp = &p;
  PUT(rd(pp));
  int*const cp = &x;
  *cp = 8;
  PUT(x);
  const int*const*const ppp = pp;
  PUT(**ppp);
  PUT(rd2(&x, &x));
  volatile int v = 3;
  v += v;
  PUT(v);
  const volatile int*cv = &v;
  PUT(*cv);
  int*q[2] = {&x, cp};
  int**qq = q;
  PUT(*qq[in[1]]);
  int(*pa)[3];
  int m[2][3] = {{1, 2, 3}, { 4, 5, 6}};
  pa = m;
  pa++;
  PUT((*pa)[1]);
  PUT(pa[0][2]);
  PUT(pa-m);
  int*(*ppa)[2] = &q;
  PUT(*(*ppa)[1]);
  constant int(*ct)[3] = &tab;
  PUT((*ct)[2]);
  int(*pz)[2][3] = &m;
  PUT((*pz)[1][1]);
  PUT(sizeof(*pz));
  PUT(sizeof(*pa));
  char*cpx = (char*)m;
  PUT(*(int*)(cpx+4*in[4]));
  PUT((int*)m+3 == &m[1][0]);
  PUT(&m[1]-&m[0]);
  PUT((char*)&m[1]-(char*)&m[0]);
}

constant int c1 = 1;
constant int*constant cp = &c1;
// kernel: spaces
// global: 1
// arg: out ulong 16 => [4, 4, 2, 3, 1, 1, 4, 4, 3, 6, 9, 1, 8, 3, 0, 4]
// arg: in int 64 = i
kernel void spaces(global ulong *out, global int *in) {
  int n_ = 0;
  const int a = 3;
  const int*p = &a;
  volatile int v = a;
  v++;
  PUT(v);
  int*restrict r = (int*)&v;
  PUT(*r);
  const volatile int cv = in[2];
  PUT(cv);
  int const*const q = p;
  PUT(*q);
  constant int*x = &c1;
  PUT(*x);
  PUT(**&cp);
  private int pi = 4;
  __private int*pp = &pi;
  PUT(*pp);
  const float4 cf = (float4)(1, 2, 3, 4);
  PUT(cf.w);
  const int arr[3] = {1, 2, 3};
  PUT(arr[in[2]]);
  static constant int sc[2] = {5, 6};
  PUT(sc[in[1]]);
  constant int lc = 9;
  PUT(lc);
  global int*const gi = in+1;
  PUT(*gi);
  global int*global*gg;
  PUT(sizeof(gg));
  volatile global int*vg = in;
  PUT(vg[3]);
  int i = *vg;
  PUT(i);
  register_t: PUT(4);
}

// Pointers to pointers.
// kernel: indirections
// global: 1
// arg: out ulong 10 => [6, 7, 6, 7, 6, 0x25f, 7, 0x4d, 1, 7]
// arg: in int 64 = i
kernel void indirections(global ulong *out, global int *in) {
  int n_ = 0;
  int a = 5;
  int *p = &a;
  int **pp = &p;
  int ***ppp = &pp;
  ***ppp = 6;
  PUT(a);
  int b = 7;
  **ppp = &b;
  PUT(*p);
  *pp = &a;
  PUT(***ppp);
  int *q[2][2] = {{&a, &b}, { &b, &a}};
  PUT(*q[in[1]][in[0]]);
  int*(*r)[2] = q;
  r++;
  PUT(*(*r)[1]);
  int *s[3];
  for (int i = 0; i < 3; i++) s[i] = (i&1) ? &a:&b;
  PUT(*s[in[2]]+*s[in[1]]*100);
  struct {
    int*p[2];
  } t = {{&a, &b}};
  t.p[in[0]] = t.p[in[1]];
  PUT(*t.p[0]);
  int *u = in[1] > 0 ? &a:&b;
  *u = 77;
  PUT(a);
  u = in[1] < 0 ? &a:0;
  PUT(u == 0);
  while (u != &b) u = &b;
  PUT(*u);
}

constant char digits[] = "0123456789abcdef";
constant char*constant tab_strings[2] = {"x\ty","q\"z"};
int len(constant const char*s) {
  int n = 0;
  for (; s[n]; n++);
  return n;
}
uint hash(constant const char*s) {
  uint h = 5381;
  while (*s) h = h*33 ^ *s++;
  return h;
}
// Strings.
// kernel: strings
// global: 1
// arg: out ulong 18 => [0x62, 0x10, 3, 0x22, 0xa9cede7, 0xb877f4c, 0x62, 4, 0x7a, 3, 0x63, 0xee, 0xffffffffffffffff, 0x41, 0x6f, 0, 8, 0x63]
// arg: in int 64 = i
kernel void strings(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(digits[in[11]]);
  PUT(len(digits));
  PUT(len(tab_strings[in[0]]));
  PUT(tab_strings[1][1]);
  PUT(hash("hello"));
  PUT(hash(tab_strings[in[1]]));
  PUT("abc"[in[1]]);
  PUT(sizeof("abc"));
  PUT(*("xyz"+in[2]));
  constant char*p = "a" "b" "\x63";
  PUT(len(p));
  PUT(p[2]);
  PUT('\0'+'\n'+'\\'+'\''+'"'+'\?');
  PUT((long)'\xff');
  PUT('\101');
  char buf[8] = "hey";
  buf[in[1]] = 'o';
  PUT(buf[1]);
  PUT(buf[3]);
  PUT(sizeof buf);
  char c2[] = {'a',"b"[0], *"c"};
  PUT(c2[2]);
}

// Memory by every width.
// kernel: every_width
// global: 1
// arg: out ulong 26 => [0xf8f9cd04abcd0100, 0xf0f1f2f30b0a0908, 0xffffffffabcd0100, 0xf0f1f2f30b0c0909, 0x70809ffabcd0100, 0xffffffffffffffc0, 0xf, 0x4008000000000000, 0x3f80000000000000, 0xff1f2f3fffe0909, 0x3f80000100000000, 0, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0x3f80000100000000, 0xff1f2f3fffe0909]
// arg: in int 64 = i
kernel void every_width(global ulong *out, global int *in) {
  int n_ = 0;
  global uchar*b = (global uchar*)(out+24);
  for (int i = 0; i < 16; i++) b[i] = i;
  global ushort*h = (global ushort*)b;
  h[1] = 0xabcd;
  b[5] += 200;
  h[in[3]] ^= 0xffff;
  global uint*w = (global uint*)b;
  w[3] = ~w[3];
  global ulong*l = (global ulong*)b;
  PUT(l[0]);
  PUT(l[1]);
  *(global char4*)(b+4) = (char4)(-1);
  PUT(l[0]);
  *(global short2*)(b+8) += (short2)(1, 2);
  PUT(l[1]);
  vstore3((uchar3)(9, 8, 7), in[1], b+2);
  PUT(l[0]);
  global char*c = (global char*)b;
  c[in[0]] = -128;
  PUT((long)c[0] >> 1);
  c[1] >>= 1;
  b[15] >>= 4;
  PUT(b[15]);
  *(global double*)(b) = in[3];
  PUT(l[0]);
  ((global float*)b)[1] = 1;
  PUT(l[0]);
  global struct {
    char a;
    short b;
    int c;
  } *s = (void global*)b;
  s[in[1]].b = -2;
  PUT(l[1]);
  s->c++;
  PUT(l[0]);
  PUT(0);
}
