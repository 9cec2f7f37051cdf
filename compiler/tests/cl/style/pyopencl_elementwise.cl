// In the style of generated elementwise kernels.
#define PYOPENCL_ELWISE_CONTINUE continue
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64: enable
#endif
typedef struct { float real, imag; } cfloat_t;
#define TP cfloat_t
#define TPROOT cfloat
#define TP_CAT2(a, b) a##_##b
#define OP(name) TP_CAT2(cfloat, name)
TP OP(new)(float re, float im) { TP r; r.real = re; r.imag = im; return r; }
TP OP(add)(TP a, TP b) { return OP(new)(a.real + b.real, a.imag + b.imag); }
TP OP(mul)(TP a, TP b) { return OP(new)(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real); }
float OP(abs)(TP a) { return sqrt(a.real * a.real + a.imag * a.imag); }
typedef union { float2 v; TP c; } cfloat_pun;
__kernel void elementwise(__global float2* x__base, long x__offset, __global float* z__base, long z__offset, float a, long n) {
  int lid = get_local_id(0);
  int gsize = get_global_size(0);
  int work_group_start = get_local_size(0) * get_group_id(0);
  long i;
  __global float2* x = (__global float2*)((__global char*)x__base + x__offset);
  __global float* z = (__global float*)((__global char*)z__base + z__offset);
  for (i = work_group_start + lid; i < n; i += gsize) {
    if (i % 7 == 3) { z[i] = -1; PYOPENCL_ELWISE_CONTINUE; }
    cfloat_pun u;
    u.v = x[i];
    TP w = OP(mul)(u.c, OP(add)(u.c, OP(new)(a, i)));
    z[i] = OP(abs)(w);
    ;
  }
}
