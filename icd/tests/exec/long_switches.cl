// A switch with 79 successive values, every third of which falls through.
// kernel: successive
// global: 96
// arg: in int 96 = i - 28
// arg: out int 96 => a0[i] < -20 || a0[i] > 58 ? 77 : (a0[i] + 20) % 3 == 2 ? 1000 + (a0[i] + 1) * (a0[i] + 1) : a0[i] * a0[i]
#define ONE(x) case x: r += (x) * (x); break;
#define THREE(x) ONE(x) ONE(x + 1) case x + 2: r += 1000;
#define MANY(x) THREE(x) THREE(x + 3) THREE(x + 6) THREE(x + 9) THREE(x + 12) THREE(x + 15)
int successive_values(int x) {
  int r = 0;
  switch (x) {
    MANY(-20) MANY(-2) MANY(16) MANY(34) THREE(52) THREE(55) ONE(58)
    default: return 77;
  }
  return r;
}
kernel void successive(global const int *in, global int *out) {
  uint i = get_global_id(0);
  out[i] = successive_values(in[i]);
}
// Values of 64 bits that differ in one half only, in a loop that arms continue.
// kernel: wide
// global: 12
// arg: in long 12 = [4294967296, 4294967297, 1, -1, 9223372036854775807, -9223372036854775807 - 1, 4294967295, -4294967296, 0, 2, -4294967295, 2147483648]
// arg: out uint 12 => [33, 69, 99, 135, 468, 498, 234, 267, 300, 300, 300, 300]
kernel void wide(global const long *in, global uint *out) {
  uint i = get_global_id(0), r = 0;
  for (int n = 0; n < 3; n++) {
    switch (in[i]) {
      case 0x100000000L: r += 11; continue;
      case 0x100000001L: r += 22; break;
      case 1L: r += 33; continue;
      case -1L: r += 44; break;
      case 0x7fffffffffffffffL: r += 55; r += 100; break;
      case -0x7fffffffffffffffL - 1: r += 66; r += 100; continue;
      case 0xffffffffL: r += 77; break;
      case -0x100000000L: r += 88; break;
      default: r += 99;
    }
    r += 1;
  }
  out[i] = r;
}
// The values of a narrow type, with a fall through and without a default.
// kernel: narrow
// global: 256
// arg: in uchar 256 = i
// arg: out uint 256 => i == 255 ? 1 : i == 254 || i == 253 ? 5 : i == 0 ? 3 : i == 128 ? 9 : 0
kernel void narrow(global const uchar *in, global uint *out) {
  uint i = get_global_id(0), r = 0;
  switch (in[i]) {
    case 255: r = 1; break;
    case 254:
    case 253: r = 2;
    case 0: r += 3; break;
    case 128: r = 9;
  }
  out[i] = r;
}
