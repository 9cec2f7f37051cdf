// Arguments of all sizes, more than push constants hold.
typedef struct { char a; double b; int c[5]; uchar3 d; } S;
__kernel void pod_args(__global double* out, char a, short3 b, uchar c, double d, float16 e, S s, char2 f, long g, S t) {
  int i = get_global_id(0);
  double r = a + b.z * 2 + c * 3 + d + e.s0 + e.sF + s.a + s.c[i % 5] + s.d.y + f.y + g + t.c[4] + t.d.z + t.a;
  t.c[i & 3] = i;
  out[i] = r + t.c[0] * 100000.0;
}
