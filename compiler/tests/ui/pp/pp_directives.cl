#define
#define 3
#define defined 1
#define F(a, a) a
#define G(a b) a
#define H(a #a
#define J(a) # b
#define K ## x
#define L x ##
#define M 1
#define M 2
#define M 2
#undef M extra
#undef
#foo
#
#else
#endif
#elif 1
#ifdef
#endif
#if 1
#else
#else
#endif
#line 0x
#pragma unknown_thing
#error this is an error: don't stop
#warning this is a warning
__kernel void k(void) {}
