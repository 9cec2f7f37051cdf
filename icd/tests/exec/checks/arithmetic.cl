// Each kernel has one fault, in the line that says so. The test launches them with 4 work-items in one work-group:
// `out` and `in` have 16 elements, in[i] is i, `c` and `l` have 8, and n is 16.

#define ARGS global int *out, global const int *in, constant int *c, local int *l, int n
#define RATIO(a, b) ((a) / (b))

int share(int whole, int parts) {
  return whole / parts; // fault of divide_in_function
}

kernel void divide_by_zero(ARGS) {
  out[get_global_id(0)] = n / in[get_global_id(0)]; // fault
}
kernel void remainder_by_zero(ARGS) {
  out[get_global_id(0)] = n % in[get_global_id(0)]; // fault
}
kernel void divide_unsigned(ARGS) {
  out[get_global_id(0)] = (uint)n / (uint)in[get_global_id(0)]; // fault
}
kernel void remainder_unsigned(ARGS) {
  uint d = get_global_id(0);
  out[d] = 7u % d; // fault
}
kernel void divide_long(ARGS) {
  long d = (long)n - 16;
  out[get_global_id(0)] = (int)(5l / d); // fault
}
kernel void divide_ulong(ARGS) {
  ulong d = get_global_id(0);
  out[get_global_id(0)] = (int)(5ul % d); // fault
}
kernel void divide_short(ARGS) {
  short d = (short)(n - 16);
  out[get_global_id(0)] = (short)n / d; // fault
}
kernel void divide_vector(ARGS) {
  int4 d = (int4)(1, 2, n - 16, 4);
  int4 q = (int4)(n) / d; // fault
  out[get_global_id(0)] = q.x + q.w;
}
kernel void divide_in_loop(ARGS) {
  int total = 0;
  for (int k = 3; k >= 0; k--)
    total += n / k; // fault
  out[get_global_id(0)] = total;
}
kernel void divide_and_assign(ARGS) {
  int x = n;
  x /= in[0]; // fault
  out[get_global_id(0)] = x;
}
kernel void divide_in_macro(ARGS) {
  out[get_global_id(0)] = RATIO(n, in[get_global_id(0)]); // fault
}
kernel void divide_in_function(ARGS) {
  out[get_global_id(0)] = share(n, n - 16);
}
kernel void divide_in_condition(ARGS) {
  int i = get_global_id(0);
  if (i == 2)
    out[i] = in[i] / (in[i] - 2); // fault
}
kernel void least_by_minus_one(ARGS) {
  int least = (n << 27);
  int d = 15 - n;
  out[get_global_id(0)] = least / d; // fault
}
kernel void least_modulo_minus_one(ARGS) {
  int least = (n << 27);
  out[get_global_id(0)] = least % (15 - n); // fault
}
kernel void least_long(ARGS) {
  long least = (long)n << 59;
  long d = 15 - n;
  out[get_global_id(0)] = (int)(least / d); // fault
}
kernel void float_to_int(ARGS) {
  float big = n * 1.0e9f;
  out[get_global_id(0)] = (int)big; // fault
}
kernel void negative_to_unsigned(ARGS) {
  float below = -1.0f * n;
  out[get_global_id(0)] = (uint)below; // fault
}
kernel void float_to_char(ARGS) {
  float much = n * 8.0f;
  out[get_global_id(0)] = (char)much; // fault
}
kernel void not_a_number(ARGS) {
  float none = sqrt((float)-n);
  out[get_global_id(0)] = (int)none; // fault
}
kernel void infinite(ARGS) {
  float zero = n - 16;
  out[get_global_id(0)] = (int)(1.0f / zero); // fault
}
kernel void convert_rounded(ARGS) {
  float much = n * 16.0f - 0.4f;
  out[get_global_id(0)] = convert_uchar_rte(much); // fault
}
kernel void convert_vector(ARGS) {
  float2 two = (float2)(1.0f, n * 1.0e4f);
  short2 s = convert_short2(two); // fault
  out[get_global_id(0)] = s.x;
}
