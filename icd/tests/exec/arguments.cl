// Many arguments of all sizes: more than push constants hold, so that some reach the kernel through a buffer.
// kernel: many
// global: 4
// arg: value char = -3
// arg: value long = 1 << 40
// arg: value short = 300
// arg: value float = 1.5, 2.5, 3.5, 4.5
// arg: value uchar = 200
// arg: value int = 1, 2, 3
// arg: value ulong = 7, 8, 9, 10, 11, 12, 13, 14
// arg: value uint = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
// arg: value float = 0.5
// arg: out long 10 => i == 0 ? -3 : i == 1 ? 1 << 40 : i == 2 ? 300 : i == 3 ? 12 : i == 4 ? 200 : i == 5 ? 6 : i == 6 ? 84 : i == 7 ? 136 : i == 8 ? 2 : 0x0CDCDCDCD * 0 - 3617008641903833651
kernel void many(char a, long b, short c, float4 d, uchar e, int3 f, ulong8 g, uint16 h, float k, global long *out) {
  if (get_global_id(0) != 0) return;
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = (long)(d.x + d.y + d.z + d.w);
  out[4] = e;
  out[5] = f.x + f.y + f.z;
  out[6] = g.s0 + g.s1 + g.s2 + g.s3 + g.s4 + g.s5 + g.s6 + g.s7;
  uint8 i = h.lo + h.hi;
  uint4 j = i.lo + i.hi;
  out[7] = j.x + j.y + j.z + j.w;
  out[8] = (long)(k * 4);
}
// kernel: null_and_not_used
// global: 1
// arg: null
// arg: value int = 0
// arg: out int 1 => 7
kernel void null_and_not_used(global int *p, int use, global int *out) {
  out[0] = 7;
  if (use) out[0] = p[0];
}
