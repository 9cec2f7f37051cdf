// Blocks that are moved by a number of bytes which only the kernel knows: the arms of a switch compute the same words.
// Each work-item has another distance, and the last ones move nothing.
// kernel: move
// global: 18
// arg: in uint 72 = rnd(i)
// arg: out uint 72 => i / 4 > 15 ? a0[i] : ((i % 4) * 4 < (i / 4) / 4 * 4 ? 0 : (i / 4) % 4 == 0 ? a0[i - i / 16] : (a0[i - i / 16] >> ((i / 4) % 4 * 8)) | ((i % 4) * 4 < (i / 4) / 4 * 4 + 4 ? 0 : a0[i - i / 16 - 1] << (32 - (i / 4) % 4 * 8)))
uint bytes_of(uint a, uint b, uint by) {
  uint r = 0, rest = by & 3;
  if (rest == 0) r = b;
  else if (rest == 1) r = (a << 24) | (b >> 8);
  else if (rest == 2) r = (a << 16) | (b >> 16);
  else if (rest == 3) r = (a << 8) | (b >> 24);
  return r;
}
void move_by(uint *w, uint by) {
  switch (by / 4) {
    case 0: w[3] = bytes_of(w[2], w[3], by); w[2] = bytes_of(w[1], w[2], by); w[1] = bytes_of(w[0], w[1], by); w[0] = bytes_of(0, w[0], by); break;
    case 1: w[3] = bytes_of(w[1], w[2], by); w[2] = bytes_of(w[0], w[1], by); w[1] = bytes_of(0, w[0], by); w[0] = 0; break;
    case 2: w[3] = bytes_of(w[0], w[1], by); w[2] = bytes_of(0, w[0], by); w[1] = 0; w[0] = 0; break;
    case 3: w[3] = bytes_of(0, w[0], by); w[2] = 0; w[1] = 0; w[0] = 0; break;
  }
}
kernel void move(global const uint *in, global uint *out) {
  uint i = get_global_id(0), w[4];
  for (int n = 0; n < 4; n++) w[n] = in[4 * i + n];
  move_by(w, i);
  for (int n = 0; n < 4; n++) out[4 * i + n] = w[n];
}
// Arms with equal quotients: those that would divide by zero are not computed.
// kernel: quotients
// global: 24
// arg: in int 24 = i % 4
// arg: out int 24 => i % 4 == 0 ? 9 : i % 3 == 0 ? 100 / a0[i] + i : i % 3 == 1 ? 100 / a0[i] - i : (100 / a0[i]) * i
kernel void quotients(global const int *in, global int *out) {
  int i = get_global_id(0), r = 9, d = in[i];
  if (d != 0)
    switch (i % 3) {
    case 0: r = 100 / d + i; break;
    case 1: r = 100 / d - i; break;
    default: r = 100 / d * i; break;
    }
  out[i] = r;
}
// Choices of 16-bit and 8-bit numbers whose arms become selects.
// kernel: narrow
// global: 40
// arg: in ushort 40 = rnd(i)
// arg: out int 40 => (i % 5 == 0 ? (a0[i] & 255) - ((a0[i] & 128) * 2) : i % 5 == 1 ? (a0[i] ^ 4660) % 65536 : i % 5 == 2 ? (a0[i] >> 3) + 7 : i % 5 == 3 ? (a0[i] | 15) : 0 - a0[i])
kernel void narrow(global const ushort *in, global int *out) {
  int i = get_global_id(0), r;
  ushort x = in[i];
  if (i % 5 == 0) r = (char)x;
  else if (i % 5 == 1) r = (ushort)(x ^ 0x1234);
  else if (i % 5 == 2) r = (x >> 3) + 7;
  else if (i % 5 == 3) r = x | 15;
  else r = -x;
  out[i] = r;
}
