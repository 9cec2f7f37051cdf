// OpenCL C 6.12.11: only xchg takes floats.
void f(global float *p) { atomic_add(p, 1.0f); atomic_xchg(p, 1.0f); }
