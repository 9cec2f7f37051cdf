// Structures and unions: members of several types, copies, access by another type, arguments by value.
typedef struct {
  char tag;
  float weight;
  int cell[3];
  short2 pair;
} record;

typedef union {
  uint bits;
  float value;
  uchar bytes[4];
} word;

// An array of structures in private memory, read by value and through a pointer.
// kernel: fill_records
// global: 10
// arg: out int 70 => i % 7 == 0 ? 24 : i % 7 == 1 ? i / 7 : i % 7 < 5 ? (i / 7) * 10 + i % 7 - 2 : i % 7 == 5 ? -(i / 7) : (i / 7) * 2
kernel void fill_records(global int *out) {
  record all[10];
  int me = get_global_id(0);
  for (int k = 0; k < 10; k++) {
    all[k].tag = k;
    all[k].weight = k * 0.5f;
    for (int c = 0; c < 3; c++)
      all[k].cell[c] = 10 * k + c;
    all[k].pair = (short2)(-k, 2 * k);
  }
  record mine = all[me];
  record *p = &all[me];
  out[7 * me] = sizeof(record);
  out[7 * me + 1] = mine.tag;
  for (int c = 0; c < 3; c++)
    out[7 * me + 2 + c] = p->cell[c];
  out[7 * me + 5] = mine.pair.x;
  out[7 * me + 6] = p->pair.y;
}

// A copy of a structure between buffers.
// kernel: copy_records
// global: 8
// arg: in int 48 = i * 3
// arg: out int 48 => i % 6 == 0 ? a0[i] & 0x7F : i % 6 == 3 ? a0[i] + 1 : a0[i]
kernel void copy_records(global const record *in, global record *out) {
  int i = get_global_id(0);
  global int *raw = (global int *)out + 6 * i;
  out[i] = in[i];
  out[i].cell[1] += 1;
  raw[0] = in[i].tag & 0x7F;
}

// A union that is written as a float and read as an integer and as bytes.
// kernel: unions
// global: 4
// arg: out uint 8 => i % 2 == 0 ? 0x3F800000 + 0 : 0x3F
kernel void unions(global uint *out) {
  int i = get_global_id(0);
  word w;
  w.value = 1.0f;
  out[2 * i] = w.bits;
  out[2 * i + 1] = w.bytes[3];
}

// Structures as arguments of a kernel and of a function, which changes its copy only.
// kernel: by_value
// global: 1
// arg: value int = 3, 4
// arg: out int 2 => a0 * 0 + 3 + i * 12 - i * 6
typedef struct { int a, b; } two;
int sum(two t) { t.a += t.b; return t.a; }
kernel void by_value(two t, global int *out) {
  out[0] = t.a;
  out[1] = sum(t) + 2 * t.a - t.b;
}
