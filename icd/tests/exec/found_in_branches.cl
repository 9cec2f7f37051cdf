// Products and quotients with numbers of which a driver may find out that they are 0, because a branch says so, or a call.

#define WAIT barrier(CLK_LOCAL_MEM_FENCE)

// Returns the bits of a number, and one of the NaNs.
uint bits(float x) { return isnan(x) ? 0x7fc00000 : as_uint(x); }

// The numbers are -1, an infinity, -0, NaN.
//
// kernel: branches
// global: 4
// arg: out uint 28 => [0x80000000, 0x7fc00000, 0x80000000, 0x7fc00000, 0xff800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0x80000000, 0x7fc00000, 0x80000000, 0x7fc00000, 0xff800000, 0xff800000, 0x7fc00000, 0x7fc00000, 0x80000000, 0x7fc00000, 0x80000000, 0x7fc00000, 0x00000004, 0x00000004, 0x7f800000, 0x00000004, 0xff800000, 0xff800000, 0x7fc00000, 0x7fc00000]
// arg: in uint 4 = [0xbf800000, 0xff800000, 0x80000000, 0x7fc00000]
// arg: value int = 3
kernel void branches(global uint *out, global const float *in, int n) {
  int i = get_global_id(0);
  float x = in[i];
  if (n == 3) {
    WAIT;
    out[i] = bits(x * (float)(n - 3));
    out[4 + i] = bits(x / (float)(n - 3));
  }
  if (n != 3) {
    out[8 + i] = 1;
  } else {
    WAIT;
    out[8 + i] = bits(x * (float)(n - 3));
  }
  if (n == 3 && x != 1.0f) out[12 + i] = bits(x / (float)(3 - n));
  switch (n) {
    case 3:
      WAIT;
      out[16 + i] = bits(x * (float)(n - 3));
      break;
    case 4: out[16 + i] = 2; break;
    default: out[16 + i] = 3;
  }
  out[20 + i] = 4;
  if (as_uint(x) == 0x80000000) out[20 + i] = bits(2.0f / -x);
  out[24 + i] = 5;
  if (n != 3) return;
  out[24 + i] = bits(x / (float)(n - 3));
}

// A function that is so large and called so often that it is not inlined.
#define STEP s = s * 1.5f + b; s = s - a * b;
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP
float function(float a, int n, float b) {
  float s = b;
  STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS
  return s == 1234.5f ? s : n == 1 ? b / (a - 1.0f) : n == 2 ? (b > 0.0f ? -(a - 1.0f) : a) : b / (float2)(b, a - 1.0f).y;
}

// The numbers are 1, an infinity, -1, NaN.
//
// kernel: functions
// global: 4
// arg: out uint 12 => [0x7f800000, 0xff800000, 0xff800000, 0x7fc00000, 0x80000000, 0x3f800000, 0x3f800000, 0x3f800000, 0x7f800000, 0xff800000, 0xff800000, 0x7fc00000]
// arg: in uint 4 = [0x3f800000, 0xff800000, 0xbf800000, 0x7fc00000]
kernel void functions(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i], s = 0.0f;
#define CALL(n) s += function(1.0f, n, x * n##.5f);
#define CALLS(n) CALL(n##0) CALL(n##1) CALL(n##2) CALL(n##3) CALL(n##4) CALL(n##5) CALL(n##6) CALL(n##7)
  CALLS(1) CALLS(2) CALLS(3) CALLS(4) CALLS(5)
  out[i] = bits(s == 77.0f ? s : function(1.0f, 1, x));
  out[4 + i] = bits(function(1.0f, 2, x));
  out[8 + i] = bits(function(1.0f, 3, x));
}
