// options: -cl-std=CL3.0
// device: 3.1
// The generic address space (OpenCL C 3.0, 6.7.5).
int named(global int *g, local int *l, private int *p, constant int *c) {
  int *any = g;
  any = l;
  any = p;
  any = c;
  g = any;
  g = (global int *)any;
  c = (constant int *)any;
  any = (int *)c;
  l = (local int *)g;
  generic int *same = any;
  __generic const int *more = same;
  any = more;
  if (any == g && l != any && any < p && g == l && c == any)
    return any - g;
  any = any ? g : l;
  any = any ? any : l;
  int **nested = &any;
  int *private *right = &any;
  global int *private *wrong = &any;
  nested = &g;
  right = 0;
  generic int automatic;
  return to_global(any) == g && to_local(c) && to_private(3) && get_fence(any, any);
}
generic int variable;
kernel void k(int *no, generic float *neither, global int *yes) {
  int x;
  float f;
  frexp(1.0f, &x);
  frexp(1.0f, no);
  fract(1.0f, yes);
  vstore2((int2)(1), 0, no);
  atomic_add(no, 1);
}
int overloaded(global int *p) __attribute__((overloadable));
int overloaded(int *p) __attribute__((overloadable));
int call(local int *l, global int *g, constant int *c) { return overloaded(l) + overloaded(g) + overloaded(c); }
