// A bit of everything: large structs by value, pointers into arrays of them, punning, vector built-ins.
typedef struct { int3 a; char b; } S3;
typedef struct { S3 s[2]; __global int* p; float4 f; } Big;
int recurse_like(Big* b, int n) { b->s[n & 1].a.y += n; b->f.w *= 2; return b->s[n & 1].b; }
Big mk(__global int* p, int v) { Big b; b.s[0].a = (int3)(v, v + 1, v + 2); b.s[1] = b.s[0]; b.s[1].a.xz += 5; b.s[0].b = v; b.s[1].b = -v; b.p = p + v; b.f = (float4)(v); return b; }
int pick(Big b) { b.s[0].a.x = 99; return b.s[0].a.x + b.s[1].a.z + (b.p != 0); }
__kernel void kmix(__global int* in, __global int* out, int n) {
  int gid = get_global_id(0);
  Big arr[3];
  for (int i = 0; i < 3; i++) arr[i] = mk(in, gid + i);
  Big* q = gid & 1 ? &arr[1] : arr;
  int r = 0;
  for (int i = 0; i < n; i++) r += recurse_like(q + (i & 1), i);
  r += pick(arr[gid % 3]) + (int)arr[1].f.w + *arr[2].p;
  Big t = (gid & 2) ? arr[0] : mk(in, 3);
  r = r * 3 + t.s[1].a.x + sizeof(Big) + (int)(&arr[2] - q);
  int (*pa)[4];
  int grid[3][4];
  for (int i = 0; i < 12; i++) grid[i / 4][i % 4] = i * gid;
  pa = grid + 1;
  r += (*pa)[2] + pa[1][1] + pa[-1][3];
  ulong bits = (ulong)(uint)r << 33 | 7;
  double d = as_double(bits | 0x3ff0000000000000UL);
  r ^= (int)(d * 1000) + ({ int z = r; z *= 2; z; });
  char2 c2 = (char2)(r, r >> 8); short2 s2 = upsample(c2, (uchar2)(1, 2));
  r += s2.x - s2.y + popcount(r) + clz(r) + mad24(r, 3, 5) + mul_hi(r, 77) + hadd(r, 5) + abs_diff(r, 100) % 17;
  out[gid] = r;
}
__kernel void ptrs(__global char* buf, __global long* out, __local int* loc) {
  int l = get_local_id(0), g = get_global_id(0);
  __local char lc[64]; __local short ls[32]; __local long ll[16];
  lc[l] = l * 3; ls[l & 15] = l; ll[l & 15] = l * 1000000007L; loc[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  __local int* p = (__local int*)lc;
  long r = p[l & 3] + ls[(l + 1) & 15] + ll[(l + 3) & 15] + loc[l ^ 1];
  __global int* gi = (__global int*)(buf + (g & 3) * 4);
  r += gi[1];
  uintptr_t u = (uintptr_t)buf;
  __global char* back = (__global char*)(u + 5);
  r += *back + (back - buf) + (back > buf);
  out[g] = r + atomic_inc(&loc[0]) * 0;
}
__kernel void math(__global float* in, __global float* out) {
  int g = get_global_id(0);
  float x = in[g] + 0.25f;
  out[g*8] = floor(x * 3) + fmod(x, 0.7f); out[g*8+1] = rsqrt(x) * 0 + sqrt(x); out[g*8+2] = fabs(-x) + copysign(x, -1.0f); out[g*8+3] = fmin(x, 2.0f) + clamp(x, 1.0f, 3.0f) + mix(x, 2.0f, 0.5f);
  out[g*8+4] = step(2.0f, x) + smoothstep(0.0f, 20.0f, x) * 0 + sign(-x); int e; out[g*8+5] = frexp(x, &e) + e; out[g*8+6] = ldexp(x, 3) + trunc(x) + rint(x) + round(x); float ip; out[g*8+7] = modf(x, &ip) + ip + isnan(x) + isgreater(x, 1.0f) + dot((float2)(x,1), (float2)(2,x));
}
__kernel void dbl(__global double* in, __global double* out) {
  int g = get_global_id(0);
  double x = in[g] + 0.125;
  double4 v = (double4)(x, x*2, x*3, 1); v = v * v - v.wzyx;
  out[g] = dot(v, v) + length(v.xy)*0 + (double)(float)x + convert_long(x * 1e10) + fma(x, x, 1.0) + floor(x) - trunc(-x);
}
__kernel void shorts(__global short* a, __global char* b, __global ushort* o, __global uchar* p) {
  int g = get_global_id(0);
  short8 s = vload8(0, a + g); char16 c = vload16(0, b + g);
  s = s * (short)3 + convert_short8(c.even) - (short8)(c.s0); s = add_sat(s, (short8)32000); 
  o[g] = s.s0 ^ s.s5 + (s.s3 >> 2); p[g] = c.sf + (uchar)s.s2 / 3;
  vstore3(c.s012, g, (__global char*)(p + 64)); 
}
