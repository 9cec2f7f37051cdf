// In the style of peak-throughput benchmarks: long chains of multiply-add in every width.
#define MAD_4(x, y) x = mad(y, x, y); y = mad(x, y, x); x = mad(y, x, y); y = mad(x, y, x);
#define MAD_16(x, y) MAD_4(x, y) MAD_4(x, y) MAD_4(x, y) MAD_4(x, y)
#define MAD_64(x, y) MAD_16(x, y) MAD_16(x, y) MAD_16(x, y) MAD_16(x, y)
__kernel void compute_v1(__global float* out, float a) {
  float x = a, y = (float)get_local_id(0);
  for (int i = 0; i < 4; i++) { MAD_64(x, y) }
  out[get_global_id(0)] = y;
}
__kernel void compute_v16(__global float* out, float a) {
  float16 x = (float16)(a), y = (float16)((float)get_local_id(0));
  x.s5 += 1.0f;
  MAD_16(x, y)
  float8 t = y.lo + y.hi;
  float4 u = t.lo + t.hi;
  out[get_global_id(0)] = u.x + u.y + u.z + u.w;
}
__kernel void bandwidth_v8(__global float8* in, __global float* out) {
  int id = get_group_id(0) * get_local_size(0) * 4 + get_local_id(0);
  float8 sum = 0;
  for (int i = 0; i < 4; i++) { sum += in[id]; id += get_local_size(0); }
  out[get_global_id(0)] = sum.s0 + sum.s1 + sum.s2 + sum.s3 + sum.s4 + sum.s5 + sum.s6 + sum.s7;
}
