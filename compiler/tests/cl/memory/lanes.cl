// Stores to lanes of vectors in memory write nothing else; 3-lane vectors; swizzles of all kinds.
__kernel void lanes(__global float4* v, __global int* out, __global float* f3) {
  int gid = get_global_id(0);
  v[gid].y = gid;
  v[gid].xw = v[gid].zy + (float2)(1, 2);
  v[gid].s2 *= 3;
  float3 t = vload3(gid, f3);
  float3 w = (float3)(t.zy, 1.0f);
  vstore3(w + t.xxx, gid, f3);
  int8 a = (int8)(gid, 1, 2, 3, 4, 5, 6, 7);
  a.even += a.odd;
  a.lo = a.hi.wzyx;
  a.s07 = (int2)(9, gid);
  int16 b = (int16)(a, a * 2);
  b.sF += b.s0;
  b.odd = b.hi;
  int4 c = b.sfb73 ^ as_int4(v[gid]);
  uchar4 u = as_uchar4(c.x);
  u.xy = u.yx;
  short8 sh = as_short8(c);
  out[gid] = c.x + c.y * 3 + c.z * 5 + c.w * 7 + as_int(u) + sh.s3 + b.sa;
}
