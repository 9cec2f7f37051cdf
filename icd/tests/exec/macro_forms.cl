// Macros (C99 6.10.3).
#define PUT(x) out[n_++] = (ulong)(x)

#define CAT(a,b) a##b
#define XCAT(a,b) CAT(a,b)
#define STR(x) #x
#define XSTR(x) STR(x)
#define N 3
#define F(x,...) G(x,##__VA_ARGS__)
#define G(x,y,...) ((x)*10+(y))
#define V(...) (int4)(__VA_ARGS__)
#define EMPTY
#define SELF SELF+1
#define L2(a) a
// kernel: expansions
// global: 1
// arg: out ulong 14 => [5, 4, 0x5c, 0xc, 3, 4, 1, 0x62, 7, 2, 3, 8, 5, 6]
// arg: in int 64 = i
kernel void expansions(global ulong *out, global int *in) {
  int n_ = 0;
  int XCAT(v, N) = 5; PUT(v3); PUT(sizeof(XSTR(N N))); PUT(STR("a\n")[2]); PUT(F(1, 2)); PUT(V(1, 2, 3, 4).z);
  PUT(EMPTY 4); int SELF_ = 1; PUT(__LINE__>0); PUT(XSTR(CAT(a, b))[1]); PUT(L2(7));
#if defined(N) && N>2 && !defined(ZZ) && (1?2:0)==2 && 'a'==97 && -1<0u+0 || 0
  PUT(1);
#elif 1
  PUT(2);
#endif
#undef N
#ifndef N
  PUT(3);
#endif
#define COMMA ,
  int q[] = {1 COMMA 2} ; PUT(sizeof q);
#define OPEN (
#define LATE(x) x
  PUT(LATE OPEN 5 ) ); PUT(LATE (6));
}
