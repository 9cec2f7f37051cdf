// A number that a program chooses between 1 or -1 and a zero gets another sign. The zero keeps it.

// Returns the bits of a number, and one of the NaNs.
uint bits(float x) { return isnan(x) ? 0x7fc00000 : as_uint(x); }

// A step is negated, by an operator, a product and a function.
//
// kernel: negated_steps
// global: 4
// arg: out uint 12 => [0xbf800000, 0x80000000, 0xbf800000, 0xbf800000, 0xbf800000, 0x80000000, 0xbf800000, 0xbf800000, 0xbf800000, 0x80000000, 0xbf800000, 0xbf800000]
// arg: in uint 4 = [0x3f800000, 0x40000000, 0x40000000, 0x7fc00000]
// arg: in uint 4 = [0x40000000, 0x3f800000, 0x40000000, 0x3f800000]
kernel void negated_steps(global uint *out, global const float *xs, global const float *ys) {
  int i = get_global_id(0);
  float x = xs[i], y = ys[i];
  out[i] = bits(-step(x, y));
  out[4 + i] = bits(step(x, y) * -1.0f);
  out[8 + i] = bits(copysign(step(x, y), -0.0f));
}

// The step is negated under a condition only.
//
// kernel: negated_under_a_condition
// global: 4
// arg: out uint 4 => [0xbf800000, 0x80000000, 0xbf800000, 0xbf800000]
// arg: in uint 4 = [0x3f800000, 0x40000000, 0x40000000, 0x7fc00000]
// arg: in uint 4 = [0x40000000, 0x3f800000, 0x40000000, 0x3f800000]
kernel void negated_under_a_condition(global uint *out, global const float *xs, global const float *ys) {
  int i = get_global_id(0);
  float x = xs[i], y = ys[i];
  float s = step(x, y);
  out[i] = bits(s != 2.0f ? -s : s);
}

// The steps are elements of vectors.
//
// kernel: negated_vectors
// global: 4
// arg: out uint 4 => [0xbf800000, 0x80000000, 0xbf800000, 0xbf800000]
// arg: in uint 4 = [0x3f800000, 0x40000000, 0x40000000, 0x7fc00000]
// arg: in uint 4 = [0x40000000, 0x3f800000, 0x40000000, 0x3f800000]
kernel void negated_vectors(global uint *out, global const float *xs, global const float *ys) {
  int i = get_global_id(0);
  float3 x = (float3)(1.0f, xs[i], ys[i]), y = (float3)(xs[i], ys[i], xs[i]);
  float3 r = -step(x, y);
  out[i] = bits(r.y);
}

// The -1 is a constant of which only a compiler knows that it is one.
//
// kernel: other_constants
// global: 4
// arg: out uint 4 => [0xbf800000, 0xbf800000, 0xbf800000, 0x80000000]
// arg: in uint 4 = [0x3f800000, 0x40000000, 0x40000000, 0x7fc00000]
// arg: in uint 4 = [0x40000000, 0x3f800000, 0x40000000, 0x3f800000]
kernel void other_constants(global uint *out, global const float *xs, global const float *ys) {
  int i = get_global_id(0);
  float3 x = (float3)(xs[i], xs[i], xs[i]), y = (float3)(ys[i], ys[i], ys[i]);
  float3 r = select((float3)(1.0f, x.y, -0.0f), trunc((float3)(512.0f, INFINITY, -1.0f)), isordered(rint(y), x));
  out[i] = bits(r.z);
}

// The zero loses its sign, or keeps it, in a choice with a greater number.
//
// kernel: absolute_values
// global: 4
// arg: out uint 12 => [0x0, 0x41200000, 0x41200000, 0x41200000, 0x0, 0x41200000, 0x41200000, 0x41200000, 0x3f800000, 0x80000000, 0x80000000, 0x80000000]
// arg: in uint 4 = [0x3f800000, 0x40000000, 0x40000000, 0x7fc00000]
// arg: in uint 4 = [0x40000000, 0x3f800000, 0x40000000, 0x3f800000]
kernel void absolute_values(global uint *out, global const float *xs, global const float *ys) {
  int i = get_global_id(0);
  float x = xs[i], y = ys[i];
  out[i] = bits(fabs(x < y ? -0.0f : 10.0f));
  out[4 + i] = bits(fmax(fabs(x < y ? -0.0f : 10.0f), -3.0f));
  out[8 + i] = bits((x < y ? 10.0f : -0.0f) >= 1.0f ? 1.0f : x < y ? 10.0f : -0.0f);
}
