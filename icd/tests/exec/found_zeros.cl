// Products, sums and quotients with numbers of which a driver may find out that they are 0.

#define WAIT barrier(CLK_LOCAL_MEM_FENCE)

// Returns the bits of a number, and one of the NaNs.
uint bits(float x) { return isnan(x) ? 0x7fc00000 : as_uint(x); }

// A lane is computed from constants only. The numbers are 1, an infinity, -0, NaN.
//
// kernel: lanes
// global: 4
// arg: out uint 28 => [0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0, 0x7fc00000, 0x3f800000, 0x7fc00000, 0x3f800000, 0x7fc00000, 0, 0x80000000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
kernel void lanes(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  float2 zero = fabs((float2)(x, -1.0f)) - 1.0f;
  out[i] = bits((x / zero).y);
  out[4 + i] = bits((x * zero).y);
  out[8 + i] = bits((x + zero).y);
  out[12 + i] = bits(fma((float2)(x), zero, (float2)(1.0f)).y);
  out[16 + i] = bits((zero / x).y);
  out[20 + i] = bits((x * as_float2(as_int2((float2)(x, 1.0f)) & 0x40000000)).y);
  out[24 + i] = bits((x / convert_float2((int2)(as_int(x), 5) * (int2)(3, 0))).y);
}

// The driver unrolls a loop with a barrier, and then knows its counter.
//
// kernel: counters
// global: 4
// arg: out uint 40 => [0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0, 0x7fc00000, 0xbf800000, 0x7f800000, 0, 0x7fc00000, 0x40000000, 0xff800000, 0x3f800000, 0x7fc00000, 0, 0x7f800000, 0x3f800000, 0x7fc00000, 0x3f800000, 0x7f800000, 0x40000000, 0x7fc00000, 0x40000000, 0x7fc00000, 0x40000000, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
kernel void counters(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  for (int k = 0; k < 2; k++) {
    WAIT;
    out[8 * k + i] = bits(x / (float)k);
    out[8 * k + 4 + i] = bits(x * (float)k);
  }
  for (int k = 0; k < 2; k++) {
    WAIT;
    out[16 + 8 * k + i] = bits(x + (float)k);
    out[16 + 8 * k + 4 + i] = bits((float)k - x);
  }
  for (int k = 0; k < 2; k++) {
    WAIT;
    out[32 + 4 * k + i] = bits(fma(x, (float)(k - 1), 2.0f));
  }
}

// The counter is a number of a float type, and so is a sum, which begins with 0.
//
// kernel: float_counters
// global: 4
// arg: out uint 48 => [0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f000000, 0xff800000, 0x80000000, 0x7fc00000, 0x40000000, 0xff800000, 0x80000000, 0x7fc00000, 0x3eaaaaab, 0xff800000, 0x80000000, 0x7fc00000, 0x40400000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0, 0x7fc00000, 0x40000000, 0xff800000, 0, 0x7fc00000, 0x40400000, 0xff800000, 0, 0x7fc00000, 0x40800000, 0xff800000, 0, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
kernel void float_counters(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  for (float t = 0.0f; t < 4.0f; t += 1.0f) {
    WAIT;
    out[8 * (int)t + i] = bits(x / t);
    out[8 * (int)t + 4 + i] = bits(x * t);
  }
  float sum = 0.0f;
  for (int k = 0; k < 4; k++) {
    WAIT;
    sum += in[i];
    out[32 + 4 * k + i] = bits(sum);
  }
}

// The driver knows the condition of a choice, or of a branch.
//
// kernel: conditions
// global: 4
// arg: out uint 24 => [0x3eaaaaab, 0xff800000, 0x80000000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
kernel void conditions(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i], y = in[3 - i];
  for (int k = 0; k < 2; k++) {
    WAIT;
    out[12 * k + i] = bits(x / (k == 1 ? 0.0f : 3.0f));
    out[12 * k + 4 + i] = bits(x * (k == 1 ? 0.0f : y));
    float t;
    if (k == 1) {
      t = 0.0f;
    } else {
      WAIT;
      t = y;
    }
    out[12 * k + 8 + i] = bits(x * t);
  }
}

// The driver knows the size of the work-groups, and therefore the numbers of their work-items in other dimensions.
//
// kernel: sizes
// global: 4
// local: 4
// arg: out uint 20 => [0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
kernel void sizes(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  out[i] = bits(x / (float)(get_local_size(1) - 1));
  out[4 + i] = bits(x * (float)(get_local_size(1) - 1));
  out[8 + i] = bits(x / (float)get_local_id(1));
  out[12 + i] = bits(x * (float)get_local_id(2));
  out[16 + i] = bits(x / (float)(i & (int)(get_local_size(2) - 1)));
}

// A number is hidden twice: as a side of a choice, and as a factor or divisor.
//
// kernel: twice
// global: 4
// arg: out uint 32 => [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0x40000000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000, 0, 0x7fc00000, 0x80000000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0x40800000, 0xff800000, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0x80000000, 0x7fc00000]
kernel void twice(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  for (int k = 0; k < 4; k++) {
    WAIT;
    float t = k == 2 ? (float)(k - 2) : (float)(k + 1);
    out[8 * k + i] = bits(x * t);
    float2 u = (float2)(x, 0.0f);
    u = k == 2 ? u : (float2)(x, 1.0f);
    out[8 * k + 4 + i] = bits((x / u).y);
  }
}
