// Functions that are called too often to be copied: of the library in double precision, and of the program's own, with
// results and parameters of several types.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define FOUR(f, n) f(n) + f(n + 1) + f(n + 2) + f(n + 3)
#define SIXTEEN(f, n) FOUR(f, n) + FOUR(f, n + 4) + FOUR(f, n + 8) + FOUR(f, n + 12)
#define TERM(n) sin(x * (n)) * cos(x + (n)) / pow(x, (n))
#define CHOICE(n) chosen(x > n, convert_float4((double4)(x)) + (n), n)

float4 chosen(bool b, float4 v, int n) {
  if (b)
    return exp(v) * sin(v);
  while (n > 3 && any(v < 1.0f)) {
    v *= 1.5f;
    n /= 2;
  }
  return log(v);
}

kernel void called_often(global double *p, global float4 *q) {
  double x = p[get_global_id(0)];
  p[get_global_id(0)] = SIXTEEN(TERM, 0) + SIXTEEN(TERM, 16) + SIXTEEN(TERM, 32);
  q[get_global_id(0)] = SIXTEEN(CHOICE, 0) + SIXTEEN(CHOICE, 16);
}
