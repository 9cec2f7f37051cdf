// Structs by value: parameters, results, assignment, nesting, arrays, unions, packed.
typedef struct { float x, y; int tag; } P;
typedef struct { P a; P b[2]; char c; short s; } Q;
typedef union { float f; uint u; uchar b[4]; } U;
typedef struct __attribute__((packed)) { char c; int i; short s; } Pk;
P make(float x, float y) {
  P p = {x, y, 1};
  return p;
}
P swap(P p) {
  float t = p.x;
  p.x = p.y;
  p.y = t;
  p.tag++;
  return p;
}
Q build(int n) {
  Q q;
  q.a = make(n, n + 1);
  q.b[0] = swap(q.a);
  q.b[1] = swap(swap(q.b[0]));
  q.c = (char)n;
  q.s = n * 3;
  return q;
}
__kernel void structs(__global float* out, __global Pk* pk, Q arg) {
  int gid = get_global_id(0);
  Q q = build(gid);
  Q r;
  r = gid & 1 ? q : arg;
  P p = r.b[gid & 1];
  U u;
  u.f = p.x;
  u.b[3] ^= 0x80;
  Pk k = {(char)gid, gid * 100, (short)-gid};
  pk[gid] = k;
  pk[gid].i += pk[gid].s;
  out[gid * 4] = swap(p).x + build(gid + 2).b[1].y;
  out[gid * 4 + 1] = u.f;
  out[gid * 4 + 2] = r.s + r.c + (q.b + 1)->tag;
  out[gid * 4 + 3] = ((P){p.y, 2.0f, 3}).y + sizeof(Pk) + sizeof(Q);
}
