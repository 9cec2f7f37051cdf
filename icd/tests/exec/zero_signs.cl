// kernel: magnitudes
// global: 8
// arg: in float 8 = [0, -1, 2, -0.5, 1e30, -1e-40, 0.25, -3]
// arg: out uint 8 => 0
// flushed: [0, 0, 0, 0, 0, 0x200, 0, 0]
// Magnitudes of zeros of both signs, some of which only the driver finds to be zeros or no less than zero. fabs of the subnormal
// number may be flushed.
kernel void magnitudes(global const float *in, global uint *out) {
  int g = get_global_id(0);
  float x = in[g], n = x * 0.0f;
  volatile float w = -0.0f;
  float first = get_local_size(0) > 1000000 ? 1.0f : -0.0f;
  uint r = signbit(fabs(w)) + 2 * signbit(fabs(-x)) + 4 * signbit(fabs(fmax(x, -0.0f))) + 8 * signbit(fabs(fabs(x) * -0.0f)) +
           16 * signbit(fabs(first)) + 32 * signbit(fabs(n)) + 64 * signbit(fabs(-fabs(x)));
  out[g] = r | (as_uint(fabs(w)) != 0) << 8 | (as_uint(fabs(x)) != (as_uint(x) & INT_MAX)) << 9;
}
// kernel: signs
// global: 6
// arg: out uint 6 => 0
// A NaN stays a NaN, but its payload may change. Its sign is that of the second operand of copysign, whose result has the sign
// of a second operand that is a NaN (C99 7.12.11.1); otherwise it is not specified.
int differs(float x, uint bits) { return isnan(as_float(bits)) ? !isnan(x) : as_uint(x) != bits; }
kernel void signs(global uint *out) {
  float list[6] = {0.0f, -0.0f, INFINITY, -INFINITY, as_float(0x7fc12345), as_float(0xffc54321)};
  volatile int g = get_global_id(0);
  float x = list[g];
  uint bits = as_uint(x);
  float minus = copysign(x, -1.0f), plus = copysign(x, 1.0f);
  out[g] = differs(fabs(x), bits & 0x7fffffffu) | differs(-x, bits ^ 0x80000000u) << 1 |
           (differs(minus, bits | 0x80000000u) || !signbit(minus)) << 2 |
           (differs(plus, bits & 0x7fffffffu) || signbit(plus)) << 3 |
           (as_uint(copysign(-0.0f, x)) != (bits & 0x80000000u)) << 4 | (!isnan(x) && signbit(trunc(x)) != signbit(x)) << 5 |
           (!isnan(x) && signbit(rint(x)) != signbit(x)) << 6 | (x == 0 && signbit(sign(x)) != signbit(x)) << 7;
}
// kernel: products_with_remainders
// global: 4
// arg: in int 4 = [-3, 3, -1, 7]
// arg: out uint 8 => [0x80000000, 0, 0x80000000, 0, 0x80000000, 0, 0x80000000, 0]
// The remainder is 0 for every number.
kernel void products_with_remainders(global const int *in, global uint *out) {
  int g = get_global_id(0);
  int x = in[g];
  out[g] = as_uint(convert_float(x % 1) * convert_float(x));
  out[4 + g] = as_uint(convert_float(x) * convert_float(x % -1));
}
