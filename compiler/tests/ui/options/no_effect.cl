// options: -cl-opt-disable -cl-strict-aliasing -cl-denorms-are-zero -cl-kernel-arg-info -g -O3 -cl-mad-enable -cl-no-signed-zeros -cl-finite-math-only
// Options that change nothing here, or not what is accepted.
#ifdef __FAST_RELAXED_MATH__
#error not asked for
#endif
kernel void k(global float *p) { p[0] = p[1] / p[2] + 0.0f; }
