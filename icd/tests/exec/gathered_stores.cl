// Strings of bytes that are stored at every alignment into private memory, which is also accessed as words.
// kernel: longs
// global: 33
// arg: in ulong 132 = rnd(i) * 16777259 + i
// arg: out uchar 2112 => i % 64 >= i / 64 && i % 64 < i / 64 + 32 ? a0[i / 64 * 4 + (i % 64 - i / 64) / 8] >> (56 - (i % 64 - i / 64) % 8 * 8) & 255 : 3 * (i % 64) + i / 64 & 255
kernel void longs(global const ulong *in, global uchar *out) {
  ulong block[8], text[4];
  int g = get_global_id(0);
  for (int x = 0; x < 8; x++) {
    block[x] = 0;
    for (int y = 0; y < 8; y++) block[x] = block[x] << 8 | (uchar)(3 * (8 * x + y) + g);
  }
  for (int x = 0; x < 4; x++) text[x] = in[4 * g + x];
#pragma unroll
  for (int x = 0, at = g; x < 32; x++, at++) ((uchar *)block)[at ^ 7] = ((uchar *)text)[x ^ 7];
  for (int x = 0; x < 64; x++) out[64 * g + x] = block[x / 8] >> (56 - x % 8 * 8);
}
// The length is no multiple of a word, the string is in the second of two rows, and the last byte is stored first.
// kernel: words
// global: 13
// arg: in uint 52 = rnd(i)
// arg: out uchar 416 => i % 32 >= i / 32 && i % 32 < i / 32 + 14 ? a0[i / 32 * 4 + (i % 32 - i / 32) / 4] >> (24 - (i % 32 - i / 32) % 4 * 8) & 255 : i % 32
kernel void words(global const uint *in, global uchar *out) {
  uint block[2][8], text[4];
  int g = get_global_id(0), row = g < 100;
  for (int x = 0; x < 16; x++) block[x / 8][x % 8] = 0x00010203 + 0x04040404 * (x % 8);
  for (int x = 0; x < 4; x++) text[x] = in[4 * g + x];
#pragma unroll
  for (int x = 13; x >= 0; x--) ((uchar *)block[row])[g + x ^ 3] = text[x / 4] >> (24 - x % 4 * 8);
  for (int x = 0; x < 32; x++) out[32 * g + x] = block[1][x / 4] >> (24 - x % 4 * 8);
}
// Two strings of computed bytes and constants are stored in ascending order, the second one up to the last byte of the block.
// Between them, a word of the block is loaded.
// kernel: bytes
// global: 5
// arg: in uint 5 = rnd(i)
// arg: out uchar 120 => i % 24 >= 16 - i / 24 && i % 24 < 24 - i / 24 ? (i % 24 - 16 + i / 24) % 3 ? a0[i / 24] + i % 24 - 16 + i / 24 & 255 : 128 : i % 24 >= 8 - i / 24 && i % 24 < 16 - i / 24 ? i % 24 - 8 + i / 24 : 255
// arg: out uint 5 => 50462976 + 16843009 * i
kernel void bytes(global const uint *in, global uchar *out, global uint *between) {
  uint block[6];
  uchar *b = (uchar *)block;
  int g = get_global_id(0);
  for (int x = 0; x < 6; x++) block[x] = 0xffffffff;
#pragma unroll
  for (int x = 0; x < 8; x++) b[8 - g + x] = x;
  between[g] = block[2];
#pragma unroll
  for (int x = 0; x < 8; x++) b[16 - g + x] = x % 3 ? in[g] + x : 128;
  for (int x = 0; x < 24; x++) out[24 * g + x] = block[x / 4] >> x % 4 * 8;
}
