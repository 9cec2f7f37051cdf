// needs: cl_khr_fp64
// Conversions to a narrower type and back, which round: a driver must not take them for nothing.

// kernel: double_by_float
// global: 8
// arg: out ulong 8 => [0x3fd5555560000000, 0xbfd5555560000000, 0x3ff0000000000000, 0x3ff0000020000000, 0x41d0000000000000, 0x7ff0000000000000, 0x4009220000000000, 0x3fb99999a0000000]
// arg: in ulong 8 = [0x3fd5555555555555, 0xbfd5555555555555, 0x3ff0000010000000, 0x3ff0000010000001, 0x41d0000000000001, 0x7fefffffffffffff, 0x4009220000000000, 0x3fb999999999999a]
kernel void double_by_float(global ulong *out, global const ulong *in) {
  int i = get_global_id(0);
  out[i] = as_ulong((double)(float)as_double(in[i]));
}

// kernel: double_by_stored_float
// global: 8
// arg: out ulong 8 => [0x3fd5555560000000, 0xbfd5555560000000, 0x3ff0000000000000, 0x3ff0000020000000, 0x41d0000000000000, 0x7ff0000000000000, 0x4009220000000000, 0x3fb99999a0000000]
// arg: in ulong 8 = [0x3fd5555555555555, 0xbfd5555555555555, 0x3ff0000010000000, 0x3ff0000010000001, 0x41d0000000000001, 0x7fefffffffffffff, 0x4009220000000000, 0x3fb999999999999a]
// arg: value int = 1
kernel void double_by_stored_float(global ulong *out, global const ulong *in, int once) {
  int i = get_global_id(0);
  float list[4];
  for (int k = 0; k < 4; k++)
    list[k] = (float)as_double(in[(i + k) & 7]);
  float x = once ? list[0] : list[1];
  for (int k = 0; k < once; k++)
    x = as_float(as_uint(list[k]));
  out[i] = as_ulong((double)x);
}

// kernel: doubles_by_floats
// global: 4
// arg: out ulong 8 => [0x3fd5555560000000, 0xbfd5555560000000, 0x3ff0000000000000, 0x3ff0000020000000, 0x41d0000000000000, 0x7ff0000000000000, 0x4009220000000000, 0x3fb99999a0000000]
// arg: in ulong 8 = [0x3fd5555555555555, 0xbfd5555555555555, 0x3ff0000010000000, 0x3ff0000010000001, 0x41d0000000000001, 0x7fefffffffffffff, 0x4009220000000000, 0x3fb999999999999a]
kernel void doubles_by_floats(global ulong2 *out, global const ulong2 *in) {
  int i = get_global_id(0);
  float2 x = convert_float2(as_double2(in[i]));
  out[i] = as_ulong2(convert_double2(x.yx).yx);
}

// kernel: numbers_by_float
// global: 4
// arg: out long 4 => [16777216, 1073741824, 9007200328482816, 3]
// arg: out int 4 => [16777216, 1000000000, 1000000000, 3]
// arg: out double 4 => [16777216, 1073741824, 9007200328482816, 3]
// arg: in long 4 = [16777217, 1073741823, 9007199254740993 + 536870912, 3]
kernel void numbers_by_float(global long *a, global int *b, global double *c, global const long *in) {
  int i = get_global_id(0);
  a[i] = (long)(float)in[i];
  b[i] = (int)(float)(int)min(in[i], 1000000000l);
  c[i] = (double)(float)in[i];
}

// kernel: numbers_by_double
// global: 3
// arg: out long 3 => [9007199254740992, 4611686018427387904, 3]
// arg: in long 3 = [9007199254740993, 4611686018427387905, 3]
kernel void numbers_by_double(global long *a, global const long *in) {
  int i = get_global_id(0);
  a[i] = (long)(double)in[i];
}

// kernel: floats_by_integers
// global: 5
// arg: out float 5 => [1, -1, 3, 0, 100]
// arg: out float 5 => [1, -1, 3, 0, 100]
// arg: out double 5 => [1, -1, 3, 0, 100]
// arg: in float 5 = [1.5, -1.75, 3.25, 0.5, 100]
kernel void floats_by_integers(global float *a, global float *b, global double *c, global const float *in) {
  int i = get_global_id(0);
  a[i] = (float)(int)in[i];
  b[i] = (float)(char)in[i];
  c[i] = (double)(long)in[i];
}

// kernel: numbers_by_float_of_double
// global: 4
// arg: out long 4 => [16777216, 16777220, 4503599627370496, 1]
// arg: out int 4 => [16777216, 16777220, 2147483647, 1]
// arg: out float 4 => [16777216, 16777220, 4503599627370496, 1]
// arg: in double 4 = [16777217, 16777219, 4503599627370497, 0.9999999999]
kernel void numbers_by_float_of_double(global long *a, global int *b, global float *c, global const double *in) {
  int i = get_global_id(0);
  a[i] = (long)(float)in[i];
  b[i] = convert_int_sat((float)in[i]);
  c[i] = (float)(long)(float)in[i];
}

// kernel: fractions_of_floats
// global: 2
// arg: out double 2 => [1, 2]
// arg: out int 2 => [1, 0]
// arg: in double 2 = [0.9999999999, 1.9999999999]
kernel void fractions_of_floats(global double *a, global int *b, global const double *in) {
  int i = get_global_id(0);
  float x = in[i];
  a[i] = floor((double)x);
  b[i] = x < 1.0 || x == 1.0;
}
