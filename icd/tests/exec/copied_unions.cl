// Arrays of unions that are stored to through one member, copied, and read through another. Each array gets the
// element type of the accesses to it, so the copy is between arrays of different elements.
// kernel: floats_as_chars
// global: 1
// arg: out uint 4 => [a1[7], a1[2], a1[3], a1[4]]
// arg: in uint 8 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: floats_as_chars_local
// global: 1
// arg: out uint 4 => [a1[7], a1[2], a1[3], a1[4]]
// arg: in uint 8 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: chars_as_floats
// global: 1
// arg: out uint 4 => [a1[7], a1[2], a1[3], a1[4]]
// arg: in uint 8 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: chars_as_floats_local
// global: 1
// arg: out uint 4 => [a1[7], a1[2], a1[3], a1[4]]
// arg: in uint 8 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: floats_as_shorts
// global: 1
// arg: out uint 8 => [a1[14], a1[15], a1[4], a1[5], a1[6], a1[7], a1[8], a1[9]]
// arg: in uint 16 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: floats_as_shorts_local
// global: 1
// arg: out uint 8 => [a1[14], a1[15], a1[4], a1[5], a1[6], a1[7], a1[8], a1[9]]
// arg: in uint 16 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: shorts_as_longs
// global: 1
// arg: out uint 8 => [a1[14], a1[15], a1[4], a1[5], a1[6], a1[7], a1[8], a1[9]]
// arg: in uint 16 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: shorts_as_longs_local
// global: 1
// arg: out uint 8 => [a1[14], a1[15], a1[4], a1[5], a1[6], a1[7], a1[8], a1[9]]
// arg: in uint 16 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: shorts_as_ints
// global: 1
// arg: out uint 8 => [a1[14], a1[15], a1[4], a1[5], a1[6], a1[7], a1[8], a1[9]]
// arg: in uint 16 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: shorts_as_ints_local
// global: 1
// arg: out uint 8 => [a1[14], a1[15], a1[4], a1[5], a1[6], a1[7], a1[8], a1[9]]
// arg: in uint 16 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: vectors_as_halves_of_them
// global: 1
// arg: out uint 8 => [a1[28], a1[29], a1[8], a1[9], a1[12], a1[13], a1[16], a1[17]]
// arg: in uint 32 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: vectors_as_halves_of_them_local
// global: 1
// arg: out uint 8 => [a1[28], a1[29], a1[8], a1[9], a1[12], a1[13], a1[16], a1[17]]
// arg: in uint 32 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: longs_as_floats
// global: 1
// arg: out uint 16 => [a1[28], a1[29], a1[30], a1[31], a1[8], a1[9], a1[10], a1[11], a1[12], a1[13], a1[14], a1[15], a1[16], a1[17], a1[18], a1[19]]
// arg: in uint 32 = 0x40000000 + i * 0x10203
// arg: value int = 1
// kernel: longs_as_floats_local
// global: 1
// arg: out uint 16 => [a1[28], a1[29], a1[30], a1[31], a1[8], a1[9], a1[10], a1[11], a1[12], a1[13], a1[14], a1[15], a1[16], a1[17], a1[18], a1[19]]
// arg: in uint 32 = 0x40000000 + i * 0x10203
// arg: value int = 1
#define COPIED(NAME, STORED, LOADED, WORDS) \
  typedef union { STORED stored; LOADED loaded; uint words[WORDS]; } NAME##_one; \
  typedef struct { NAME##_one of[6]; } NAME##_all; \
  kernel void NAME(global LOADED *out, global const STORED *in, int at) { \
    NAME##_all a, b; \
    for (int i = 0; i < 6; i++) a.of[i].stored = in[i]; \
    a.of[at & 1].stored = in[7]; \
    b = a; \
    for (int i = 0; i < 4; i++) out[i] = b.of[at + i].loaded; \
  } \
  kernel void NAME##_local(global LOADED *out, global const STORED *in, int at) { \
    local NAME##_all a, b; \
    NAME##_all c; \
    for (int i = 0; i < 6; i++) a.of[i].stored = in[i]; \
    a.of[at & 1].stored = in[7]; \
    c = a; \
    b = c; \
    for (int i = 0; i < 4; i++) out[i] = b.of[at + i].loaded; \
  }
COPIED(floats_as_chars, float, char4, 1)
COPIED(chars_as_floats, char4, float, 1)
COPIED(floats_as_shorts, float2, short4, 2)
COPIED(shorts_as_longs, short4, long, 2)
COPIED(shorts_as_ints, short4, int2, 2)
COPIED(vectors_as_halves_of_them, float4, float2, 4)
COPIED(longs_as_floats, long2, float4, 4)
