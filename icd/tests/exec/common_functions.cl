// mix, smoothstep, step, sign, degrees, radians (CL 6.12.4) beside what they are defined as; vec_step (6.12.12).
#define CHECK(k, x) if (x) bits |= 1UL << k

// kernel: mixed
// global: 64
// arg: in float 64 = i / 4.0 - 3
// arg: out float 64 => a0[i] + (2 * a0[i] + 1 - a0[i]) * 0.25
// arg: out float 64 => a0[i] <= 0 ? 0.0 : a0[i] >= 8 ? 1.0 : a0[i] / 8 * (a0[i] / 8) * (3 - 2 * (a0[i] / 8))
// arg: out float 64 => a0[i] < 1.5 ? 0 : 1
// arg: out float 64 => a0[i] > 0 ? 1 : a0[i] < 0 ? -1 : 0
// arg: out float 64 => a0[i] * 180 / pi
// arg: out float 64 => a0[i] * pi / 180
// ulp: 2
kernel void mixed(global const float *in, global float *m, global float *s, global float *t, global float *g,
                  global float *d, global float *r) {
  int i = get_global_id(0);
  float x = in[i];
  m[i] = mix(x, 2 * x + 1, 0.25f);
  s[i] = smoothstep(0.0f, 8.0f, x);
  t[i] = step(1.5f, x);
  g[i] = sign(x);
  d[i] = degrees(x);
  r[i] = radians(x);
}
// kernel: of_vectors
// global: 1
// arg: in float 4 = i * 2
// arg: out ulong 1 => (1 << 12) - 1
kernel void of_vectors(global const float *in, global ulong *out) {
  float4 x = vload4(0, in), y = x + 4;
  ulong bits = 0;
  CHECK(0, all(mix(x, y, 0.5f) == x + 2));
  CHECK(1, all(mix(x, y, (float4)(0, 0.25f, 0.5f, 1)) == x + (float4)(0, 1, 2, 4)));
  CHECK(2, all(step(3.0f, x) == (float4)(0, 0, 1, 1)));
  CHECK(3, all(step(y, x) == 0.0f));
  CHECK(4, all(smoothstep(0.0f, 4.0f, x) == (float4)(0, 0.5f, 1, 1)));
  CHECK(5, all(smoothstep(x, y, x + 2) == 0.5f));
  CHECK(6, all(sign((float4)(-3, 0, 5, INFINITY)) == (float4)(-1, 0, 1, 1)));
  CHECK(7, sign(NAN) == 0 && signbit(sign(-0.0f)) && !signbit(sign(0.0f)));
  CHECK(8, all(degrees((float2)(0, M_PI_F)) == (float2)(0, 180)));
  CHECK(9, all(radians((float2)(0, 180)) == (float2)(0, M_PI_F)));
  CHECK(10, all(clamp(x, 1.0f, 5.0f) == (float4)(1, 2, 4, 5)) && all(max(x, 3.0f) == (float4)(3, 3, 4, 6)));
  CHECK(11, all(min(x.xyz, (float3)(1)) == (float3)(0, 1, 1)));
  out[0] = bits;
}
// kernel: steps
// global: 1
// arg: out int 16 => [1, 2, 4, 4, 8, 16, 1, 4, 1, 16, 1, 1, 4, 2, 4, 1]
kernel void steps(global int *out) {
  char3 c3;
  ulong16 l16;
  struct { float8 v; } s;
  int n = 0;
  out[n++] = vec_step(int);
  out[n++] = vec_step(float2);
  out[n++] = vec_step(uchar3);
  out[n++] = vec_step(long4);
  out[n++] = vec_step(short8);
  out[n++] = vec_step(uint16);
  out[n++] = vec_step(n);
  out[n++] = vec_step(c3);
  out[n++] = vec_step(c3.x);
  out[n++] = vec_step(l16);
  out[n++] = vec_step(void);
  out[n++] = vec_step(n++ + 1.0f);
  out[n++] = vec_step(l16.lo.hi);
  out[n++] = vec_step(s.v.s01);
  out[n++] = vec_step(c3.xyz + c3);
  out[n++] = vec_step(float);
}
