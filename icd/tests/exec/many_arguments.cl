// More than a kibibyte of plain arguments.
// kernel: kibibyte
// global: 16
// arg: value ulong = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
// arg: value ulong = 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015
// arg: value ulong = 2000, 2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009, 2010, 2011, 2012, 2013, 2014, 2015
// arg: value ulong = 3000, 3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008, 3009, 3010, 3011, 3012, 3013, 3014, 3015
// arg: value ulong = 4000, 4001, 4002, 4003, 4004, 4005, 4006, 4007, 4008, 4009, 4010, 4011, 4012, 4013, 4014, 4015
// arg: value ulong = 5000, 5001, 5002, 5003, 5004, 5005, 5006, 5007, 5008, 5009, 5010, 5011, 5012, 5013, 5014, 5015
// arg: value ulong = 6000, 6001, 6002, 6003, 6004, 6005, 6006, 6007, 6008, 6009, 6010, 6011, 6012, 6013, 6014, 6015
// arg: value ulong = 7000, 7001, 7002, 7003, 7004, 7005, 7006, 7007, 7008, 7009, 7010, 7011, 7012, 7013, 7014, 7015
// arg: value ulong = 8000, 8001, 8002, 8003, 8004, 8005, 8006, 8007, 8008, 8009, 8010, 8011, 8012, 8013, 8014, 8015
// arg: out ulong 144 => (i / 16) * 1000 + i % 16
kernel void kibibyte(ulong16 a0, ulong16 a1, ulong16 a2, ulong16 a3, ulong16 a4, ulong16 a5, ulong16 a6, ulong16 a7, ulong16 a8, global ulong *out) {
  size_t i = get_global_id(0);
  out[0 + i] = ((ulong *)&a0)[i];
  out[16 + i] = ((ulong *)&a1)[i];
  out[32 + i] = ((ulong *)&a2)[i];
  out[48 + i] = ((ulong *)&a3)[i];
  out[64 + i] = ((ulong *)&a4)[i];
  out[80 + i] = ((ulong *)&a5)[i];
  out[96 + i] = ((ulong *)&a6)[i];
  out[112 + i] = ((ulong *)&a7)[i];
  out[128 + i] = ((ulong *)&a8)[i];
}
// kernel: nothing
// global: 4
kernel void nothing(void) {
  local int l[4];
  l[get_local_id(0)] = get_group_id(0);
}
// A kernel as a function: it is the caller's work-item, and may have local memory as an argument only.
// kernel: caller
// global: 32
// local: 8
// arg: inout int 32 = i * i => i * i + (i % 8 == 7 ? (i - 7) * (i - 7) : (i + 1) * (i + 1)) + 5
// arg: local 32
kernel void callee(global int *a, local int *l, int add) {
  size_t k = get_local_id(0), n = get_local_size(0);
  l[k] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] += l[(k + 1) % n] + add;
}
kernel void caller(global int *a, local int *l) {
  callee(a, l, 5);
}
// A struct with vectors, arrays and pointers to nothing by value, changed in the callee only.
// kernel: struct_argument
// global: 1
// arg: value uint = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
// arg: out uint 16 => i + 1
typedef struct { uint2 v; ushort s[4]; struct { uchar c[8]; uint w; } in[2]; uint4 last; } big;
uint spoil(big b) { b.v.x = 0; b.in[1].c[2] = 0; return b.last.w; }
kernel void struct_argument(big b, global uint *out) {
  if (spoil(b) == 16)
    for (int k = 0; k < 16; k++)
      out[k] = ((uint *)&b)[k];
}
