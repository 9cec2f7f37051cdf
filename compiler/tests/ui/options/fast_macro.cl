// options: -cl-fast-relaxed-math
#if __FAST_RELAXED_MATH__ != 1
#error __FAST_RELAXED_MATH__
#endif
kernel void k(global float *p) { p[0] = sin(p[1]); }
