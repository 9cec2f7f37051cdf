// Local memory that is accessed with several widths, and local variables that are apart from others.
// kernel: permute
// global: 64
// local: 16
// arg: out uint 64 => i / 16 * 65536 + (i % 16 * 16 + 1) % 256 * 256 + i % 16 * 16 % 256
kernel void permute(global uint *out) {
  // A table for each work-item, which is filled by words and permuted by bytes.
  local uint words[16][64];
  int l = get_local_id(0);
  local uint *mine = words[l];
  uint next = 0x03020100;
  for (int i = 0; i < 64; i++, next += 0x04040404)
    mine[i] = next;
  local uchar *bytes = (local uchar *)mine;
  for (int turn = 0; turn < 16; turn++) {
    uchar first = bytes[0];
    for (int i = 0; i < 255; i++)
      bytes[i] = bytes[i + 1];
    bytes[255] = first;
    if (turn == l - 1 || l == 0)
      break;
  }
  // Work-item 0 has turned its table once, work-item l l times.
  int back = l == 0 ? 255 : 15 * l;
  out[get_global_id(0)] = get_group_id(0) * 65536 + bytes[(back + 1) & 255] * 256 + bytes[back];
}
// kernel: neighbours
// global: 64
// local: 64
// arg: out uint 16 => (4 * i + 3) * 16777216 + (4 * i + 2) * 65536 + (4 * i + 1) * 256 + 4 * i
// arg: out ushort 32 => (2 * i + 1) * 256 + 2 * i
kernel void neighbours(global uint *out, global ushort *halves) {
  // All work-items store at the same time to bytes of the same words.
  local uint words[16];
  int l = get_local_id(0);
  if (l < 16)
    words[l] = 0xffffffff;
  barrier(CLK_LOCAL_MEM_FENCE);
  ((local uchar *)words)[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16)
    out[l] = words[l];
  if (l < 32)
    halves[l] = ((local ushort *)words)[l];
}
// kernel: counted_words
// global: 32
// local: 32
// arg: out uint 8 => (4 * i + 3) * 16777216 + (4 * i + 2) * 65536 + (4 * i + 1) * 256 + 4 * i + 32
kernel void counted_words(global uint *out) {
  local uchar bytes[32] __attribute__((aligned(4)));
  int l = get_local_id(0);
  bytes[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int w = 0; w < 8; w++)
    atomic_inc((local uint *)bytes + w);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 8)
    out[l] = ((local uint *)bytes)[l];
}
// kernel: tile_beside_table
// global: 64
// local: 32
// arg: in float 64 = i
// arg: local 33
// arg: local 528
// arg: out float 64 => i / 32 * 32 + (31 - i % 32) + 100 * (i % 32 * 3 % 32) + (31 - i % 32) * 4 + 2
kernel void tile_beside_table(global const float *in, local uchar *bytes, local float4 *vectors,
                              global float *out) {
  local float tile[32];
  local uchar table[32];
  int l = get_local_id(0);
  tile[l] = in[get_global_id(0)];
  table[l] = 31 - l;
  bytes[l + 1] = l * 3 % 32;
  vectors[l] = (float4)(4 * l, 4 * l + 1, 4 * l + 2, 4 * l + 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] =
      tile[table[l]] + 100 * bytes[l + 1] + ((local float *)vectors)[table[l] * 4 + 2];
}
// kernel: records
// global: 16
// local: 16
// arg: out long 16 => (15 - i) * 1000 + (15 - i) + (15 - i) * 3 + (15 - i) * 5 + 7
typedef struct {
  char c;
  short s;
  int i;
  long l;
  char3 v;
} Record;
long sum(local const Record *r) { return r->c + r->s + r->i + r->l + r->v.x + r->v.y + r->v.z; }
kernel void records(global long *out) {
  local Record list[16];
  local Record copy;
  int l = get_local_id(0);
  Record r = {l, 3 * l, 5 * l, 1000 * l, (char3)(1, 2, 4)};
  list[l] = r;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    copy = list[3];
    list[3] = copy;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = sum(&list[15 - l]);
}
// kernel: pointers
// global: 16
// local: 16
// arg: out int 16 => [100, 201, 102, 203, 104, 205, 106, 207, 108, 209, 110, 211, 112, 213, 114, 215]
// arg: out int 16 => 42 + i
// arg: out int 16 => i % 2 * 2 + 1
kernel void pointers(global int *out, global int *through, global int *compared) {
  local int even[16];
  local int odd[16];
  local short narrow[16];
  local int kept[16];
  local int *local stored[16];
  int l = get_local_id(0);
  even[l] = 100 + l;
  odd[l] = 200 + l;
  narrow[l] = -l;
  local int *p = l % 2 ? odd : even;
  out[l] = p[l];
  // Pointers in local and private memory.
  kept[l] = 42;
  stored[l] = &kept[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  local int *list[4] = {stored[l], 0, stored[15 - l], stored[l]};
  int k = out[l] >= 200 ? 3 : 0;
  through[l] = *list[k] - narrow[l];
  compared[l] = (p == odd) * 2 + (list[1] == 0 && list[2] != 0 && p != 0);
}
// kernel: swapped
// global: 8
// local: 8
// arg: out int 8 => i + 28 * 3
kernel void swapped(global int *out) {
  local int first[8];
  local int second[8];
  local int *from = first, *to = second;
  int l = get_local_id(0);
  from[l] = l;
  for (int round = 0; round < 3; round++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    to[l] = from[l] + 28;
    local int *t = from;
    from = to;
    to = t;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = from[l];
}
// kernel: moved
// global: 16
// local: 16
// arg: in uchar 64 = i * 3
// arg: out uchar 64 => (63 - i) * 3
// arg: out int 16 => i * 4 * 3 % 256 + (i * 4 + 2) * 3 % 256 * 65536 + (i * 4 + 1) * 3 % 256 * 256
kernel void moved(global const uchar *in, global uchar *reversed, global int *words) {
  local int copy[16];
  local uchar other[67];
  int l = get_local_id(0);
  event_t e = async_work_group_copy((local uchar *)copy, in, 64, 0);
  wait_group_events(1, &e);
  uchar4 v = vload4(l, (local uchar *)copy);
  vstore4(v.wzyx, 0, other + 3 + (15 - l) * 4);
  uchar3 w = vload3(0, (local uchar *)(copy + l));
  vstore3(w, 0, (local uchar *)(copy + l));
  ((local uchar *)copy)[4 * l + 3] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  words[l] = copy[l];
  e = async_work_group_copy(reversed, other + 3, 64, 0);
  wait_group_events(1, &e);
}
// kernel: halves_of_longs
// global: 8
// local: 8
// arg: out ulong 8 => (i + 1) * 4294967296 + 7 + i * 256
kernel void halves_of_longs(global ulong *out) {
  local ulong wide[8];
  int l = get_local_id(0);
  wide[l] = 7;
  ((local uint *)(wide + l))[1] = l;
  ((local uchar *)(wide + l))[1] = l;
  atomic_add((volatile local uint *)(wide + l) + 1, 1u);
  out[l] = wide[l];
}
// kernel: outer
// global: 8
// local: 8
// arg: out int 8 => 7 - i + 10 * (7 - i)
kernel void inner(global int *out, local short *more) {
  local int t[8];
  int l = get_local_id(0);
  t[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = t[7 - l] + more[7 - l];
}
kernel void outer(global int *out) {
  local short more[8];
  more[get_local_id(0)] = 10 * get_local_id(0);
  inner(out, more);
}
