// Structures under `#pragma pack`, as clang lays them out.
#pragma pack(push, 1)
typedef struct { uchar kind; ushort count; uint length; ulong key; } header;
#pragma pack(push, 2)
typedef struct { uchar kind; uint length; header inner; ulong key; } mixed;
#pragma pack(pop)
typedef union { uchar bytes[5]; uint word; } word;
#pragma pack(pop)
typedef struct { uchar kind; ulong key; header inner; } plain;

// kernel: records
// global: 4
// local: 4
// arg: in uchar 60 = i * 7 % 251
// arg: out uchar 60 => i % 15 == 1 || i % 15 == 2 ? 255 - a0[i] : i % 15 == 0 ? a0[i] + 1 : a0[i]
kernel void records(global const header *in, global header *out) {
  local header shared[4];
  header all[4];
  int i = get_global_id(0);
  shared[i] = in[i];
  shared[i].count ^= 0xffff;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 4; k++) all[k] = shared[k];
  all[i].kind++;
  out[i].key = all[i].key;
  out[i].length = all[i].length;
  out[i].count = all[i].count;
  out[i].kind = all[i].kind;
}

// kernel: sizes
// global: 1
// arg: out int 8 => [15, 30, 5, 32, 2, 6, 22, 16]
kernel void sizes(global int *out) {
  out[0] = sizeof(header);
  out[1] = sizeof(mixed);
  out[2] = sizeof(word);
  out[3] = sizeof(plain);
  mixed m;
  plain p;
  out[4] = (uchar *)&m.length - (uchar *)&m;
  out[5] = (uchar *)&m.inner - (uchar *)&m;
  out[6] = (uchar *)&m.key - (uchar *)&m;
  out[7] = (uchar *)&p.inner - (uchar *)&p;
}
