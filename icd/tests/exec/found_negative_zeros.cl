// Choices in which one side is a zero that only the driver finds out: in a loop that it unrolls, where a loop begins, and in a function
// that it inlines.

#define WAIT barrier(CLK_LOCAL_MEM_FENCE)

// The numbers are 1 and -1, so that the first work-item takes the first side.
//
// kernel: counters
// global: 2
// arg: out uint 24 => [0x80000000, 0xbf800000, 0x3f800000, 0x3f800000, 0, 0x3f800000, 0x40400000, 0x40400000, 0x80000000, 0xbf800000, 0xbf800000, 0xbf800000, 0, 0x3f800000, 0x80000000, 0x80000000, 0x80000000, 0xbf800000, 0x40000000, 0x40000000, 0x3f800000, 0x3f800000, 0xbf800000, 0xbf800000]
// arg: in float 2 = [1, -1]
kernel void counters(global uint *out, global const float *in) {
  int i = get_global_id(0);
  bool c = in[i] > 0.0f;
  for (int k = 0; k < 2; k++) {
    WAIT;
    float2 v = c ? (float2)(-(float)k, 1.0f) : (float2)(2.0f, -1.0f);
    out[2 * i + k] = as_uint(c ? -(float)k : 1.0f);
    out[4 + 2 * i + k] = as_uint(fabs(c ? -(float)k : 3.0f));
    out[8 + 2 * i + k] = as_uint(-(c ? (float)k : 1.0f));
    out[12 + 2 * i + k] = as_uint(copysign(c ? -(float)k : 0.0f, c ? 1.0f : -1.0f));
    out[16 + 2 * i + k] = as_uint(v.x);
    out[20 + 2 * i + k] = as_uint(v.y);
  }
}

// kernel: starts
// global: 2
// arg: out uint 12 => [0x80000000, 0x80000000, 0x80000000, 0x3f800000, 0x3f800000, 0x3f800000, 0, 0, 0, 0x40000000, 0x40000000, 0x40000000]
// arg: in float 2 = [1, -1]
kernel void starts(global uint *out, global const float *in) {
  int i = get_global_id(0);
  bool c = in[i] > 0.0f;
  float s = -0.0f;
  for (int k = 0; k < 3; k++) {
    WAIT;
    out[3 * i + k] = as_uint(c ? s : 1.0f);
    out[6 + 3 * i + k] = as_uint(fabs(c ? s : 2.0f));
    s = s * 0.5f;
  }
}

// A function that is so large and called so often that it is not inlined.
#define STEP s = s * 1.5f + b; s = s - a * b;
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP
float function(float a, int n, float b) {
  float s = b;
  STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS
  return s == 1234.5f ? s : n == 1 ? (b > 0.0f ? a : 1.0f) : n == 2 ? fabs(b > 0.0f ? a : 2.0f) : (b > 0.0f ? -(a + 1.0f) : a);
}

// kernel: functions
// global: 2
// arg: out uint 6 => [0x80000000, 0x3f800000, 0, 0x40000000, 0xbf800000, 0x80000000]
// arg: in float 2 = [1, -1]
kernel void functions(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i], s = 0.0f;
#define CALL(n) s += function(-0.0f, n, x * n##.5f);
#define CALLS(n) CALL(n##0) CALL(n##1) CALL(n##2) CALL(n##3) CALL(n##4) CALL(n##5) CALL(n##6) CALL(n##7)
  CALLS(1) CALLS(2) CALLS(3) CALLS(4) CALLS(5)
  out[i] = as_uint(s == 77.0f ? s : function(-0.0f, 1, x));
  out[2 + i] = as_uint(function(-0.0f, 2, x));
  out[4 + i] = as_uint(function(-0.0f, 3, x));
}
