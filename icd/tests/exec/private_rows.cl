// Neighbouring elements of private arrays, which become vectors where private memory is accessed with up to 16 bytes at a time.
// Rows of 16 words at computed places.
// kernel: rows
// global: 16
// arg: in uint 256 = i * 7
// arg: out uint 16 => 1792 * ((3 + i) % 16) + 840
// arg: value int = 3
kernel void rows(global const uint *in, global uint *out, int first) {
  uint table[16][16], sum = 0;
  for (int r = 0; r < 16; r++)
    for (int k = 0; k < 16; k++) table[r][k] = in[r * 16 + k];
  int row = (first + get_global_id(0)) % 16;
  for (int k = 0; k < 16; k++) sum += table[row][k];
  out[get_global_id(0)] = sum;
}
// The same with numbers of 64 bits, one of which is changed at a computed place in each iteration.
// kernel: changed_rows
// global: 8
// arg: in ulong 32 = i
// arg: out ulong 8 => 4 * (4 * i + 6) + 10 * (i + 1) + 20 * (i + 1) + 30 * (i + 1)
// arg: value int = 4
kernel void changed_rows(global const ulong *in, global ulong *out, int count) {
  ulong table[8][4], sum = 0;
  for (int r = 0; r < 8; r++)
    for (int k = 0; k < 4; k++) table[r][k] = in[k];
  int row = get_global_id(0);
  for (int n = 0; n < count; n++) {
    for (int k = 0; k < 4; k++) sum += table[row & 7][k] + row;
    table[row & 7][n & 3] += 10 * (row + 1);
  }
  out[row] = sum;
}
// Structures of four floats; each iteration changes one member of the structure that the next one reads.
// kernel: structures
// global: 4
// arg: out float 4 => i * 6 + 7 * ((3 + i) % 8 + (6 + i) % 8 + (1 + i) % 8) + i * 4.5
// arg: value int = 4
kernel void structures(global float *out, int count) {
  struct { float x, y, z, w; } s[8];
  int id = get_global_id(0);
  for (int i = 0; i < 8; i++) s[i].x = i, s[i].y = 2 * i, s[i].z = id, s[i].w = 10;
  float sum = 0;
  for (int n = 0; n < count; n++) {
    int i = (n * 3 + id) & 7;
    sum += s[i].x + s[i].y * s[i].w / 5 + s[i].z * s[i].w / 10;
    s[(i + 3) & 7].w = 15;
  }
  out[id] = sum;
}
// Words of which bytes are stored at computed places.
// kernel: unions
// global: 16
// arg: out uint 16 => 1360 + 256 * ((2 + i) % 16 + (3 + i) % 16 + (4 + i) % 16 + (5 + i) % 16 + 4)
// arg: value int = 4
kernel void unions(global uint *out, int count) {
  union { uchar b[64]; uint w[16]; ulong l[8]; } u;
  int id = get_global_id(0);
  for (int k = 0; k < 8; k++) u.l[k] = (ulong)(2 * k + 1) << 32 | 2 * k;
  for (int n = 0; n < count; n++) u.b[(n + id + 2) % 16 * 4 + 1] = 1;
  uint sum = 0;
  for (int n = 0; n < count; n++) {
    int row = (n * 5 + id) & 3;
    for (int k = 0; k < 4; k++) sum += u.w[row * 4 + k] * (row * 4 + k + 1);
  }
  out[id] = sum;
}
// Stores of whole vectors in a loop, and of parts of them, before and after loads at computed places; the base of an index is
// negative.
// kernel: stores
// global: 8
// arg: out int 8 => 9 * i % 64 + 7 + 16 * i + 6
// arg: value int = 16
kernel void stores(global int *out, int count) {
  int a[64], id = get_global_id(0), sum = 0;
  for (int r = 0; r < count; r++)
    for (int k = 0; k < 4; k++) a[r * 4 + k] = 0;
  for (int r = 0; r < count; r++)
    for (int k = 0; k < 4; k++) a[r * 4 + k] += r * 4 + k;
  sum = a[9 * id % 64];
  int before = (id - 2) * 4;
  for (int n = 0; n < count - 15; n++)
    for (int k = 0; k < 4; k++) sum += a[before + 8 + k];
  a[id * 4] = 1, a[id * 4 + 1] = 2, a[id * 4 + 3] = 4;
  out[id] = sum + a[id * 4] + a[id * 4 + 1] + a[id * 4 + 3];
}
