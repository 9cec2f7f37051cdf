// Numbers that are read and written byte by byte, the most significant byte first. Compilers make one access and a reversal of
// bytes of them.

// kernel: halfwords
// global: 64
// arg: in uchar 128 = i * 37 + 11
// arg: out ushort 64 => ((i * 74 + 11) & 255) * 256 + ((i * 74 + 48) & 255)
// arg: out uint 64 => ((i * 74 + 11) & 255) * 256 + ((i * 74 + 48) & 255)
// arg: out uchar 128 => (((i ^ 1) * 37 + 11) & 255)
kernel void halfwords(global const uchar *p, global ushort *r, global uint *wide, global uchar *swapped) {
  int i = get_global_id(0);
  r[i] = p[2 * i] << 8 | p[2 * i + 1];
  wide[i] = (uint)p[2 * i] << 8 | p[2 * i + 1];
  ushort x = p[2 * i] | p[2 * i + 1] << 8;
  swapped[2 * i] = x >> 8;
  swapped[2 * i + 1] = x & 0xff;
}

// kernel: words
// global: 32
// arg: in uchar 128 = i * 37 + 11
// arg: out uint 32 => (((i * 148 + 11) & 255) * 65536 + ((i * 148 + 48) & 255) * 256 + ((i * 148 + 85) & 255)) * 256 + ((i * 148 + 122) & 255)
// arg: out ushort 64 => ((i * 74 + 11) & 255) * 256 + ((i * 74 + 48) & 255)
kernel void words(global const uchar *p, global uint *r, global ushort *halves) {
  int i = get_global_id(0);
  r[i] = (uint)p[4 * i] << 24 | (uint)p[4 * i + 1] << 16 | (uint)p[4 * i + 2] << 8 | p[4 * i + 3];
  ushort2 x = ((global const ushort2 *)p)[i];
  vstore2(rotate(x, (ushort2)8), i, halves);
}

// kernel: in_local_memory
// global: 16
// local: 16
// arg: in ushort 16 = i * 4093 + 77
// arg: out ushort 16 => ((((15 - i) * 4093 + 77) & 255) * 256 + ((((15 - i) * 4093 + 77) & 65535) >> 8))
kernel void in_local_memory(global const ushort *p, global ushort *r) {
  local ushort all[16];
  int i = get_local_id(0);
  ushort x = p[i];
  all[15 - i] = (x & 0xff) << 8 | x >> 8;
  barrier(CLK_LOCAL_MEM_FENCE);
  r[i] = all[i];
}
