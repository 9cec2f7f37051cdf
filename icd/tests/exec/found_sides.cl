// Choices of which a driver may find out that one side is a zero and the other one 1 or -1.

#define WAIT barrier(CLK_LOCAL_MEM_FENCE)

// The driver unrolls the loops, and then knows their counters. The numbers are 1, -1.
//
// kernel: counters
// global: 2
// arg: out uint 40 => [0x80000000, 0x3f800000, 0xbf800000, 0x3f800000, 0xc0000000, 0x3f800000, 0xc0400000, 0x3f800000, 0, 0xbf800000, 0x3f800000, 0xbf800000, 0x40000000, 0xbf800000, 0x40400000, 0xbf800000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40400000, 0xc0400000, 0x40800000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40400000, 0xc0400000, 0x40800000, 0x80000000, 0x3f800000, 0, 0x3f800000, 0x80000000, 0x3f800000, 0, 0x3f800000]
// arg: in float 2 = [1, -1]
kernel void counters(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  for (int k = 0; k < 4; k++) {
    WAIT;
    out[2 * k + i] = as_uint(x > 0.0f ? -(float)k : 1.0f);
  }
  for (int k = 0; k < 4; k++) {
    WAIT;
    out[8 + 2 * k + i] = as_uint(x > 0.0f ? (float)k : -1.0f);
  }
  for (int k = 0; k < 4; k++) {
    WAIT;
    out[16 + 2 * k + i] = as_uint(x > 0.0f ? -(float)k : (float)(k + 1));
  }
  for (int k = 0; k < 4; k++) {
    WAIT;
    float t;
    if (x > 0.0f) {
      t = -(float)k;
    } else {
      t = (float)(k + 1);
    }
    out[24 + 2 * k + i] = as_uint(t);
  }
  for (int k = 0; k < 4; k++) {
    WAIT;
    out[32 + 2 * k + i] = x > 0.0f ? (k + 1) << 31 : 0x3f800000;
  }
}

// The numbers are lanes of vectors.
//
// kernel: lanes
// global: 2
// arg: out uint 8 => [0, 0xbf800000, 0x80000000, 0x3f800000, 0x80000000, 0x3f800000, 0, 0xbf800000]
// arg: in float 2 = [1, -1]
kernel void lanes(global uint *out, global const float *in) {
  int i = get_global_id(0);
  float x = in[i];
  out[i] = as_uint((x > 0.0f ? (float2)(x, 0.0f) : (float2)(x, -1.0f)).y);
  out[2 + i] = as_uint((x > 0.0f ? (float2)(x, -0.0f) : (float2)(x, 1.0f)).y);
  float2 one = fabs((float2)(x, -1.0f)), zero = one - 1.0f;
  out[4 + i] = as_uint((x > 0.0f ? -zero : one).y);
  out[6 + i] = as_uint((x > 0.0f ? zero : -one).y);
}
