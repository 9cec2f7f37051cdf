// Integers that floats were converted to, and whose upper bits are cut off.

// kernel: ushort_of_ulong
// global: 4
// arg: out ushort 4 => [300, 4464, 32768, 61952]
// arg: in float 4 = [300.5, 70000.25, 98304, 5e9]
kernel void ushort_of_ulong(global ushort *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (ushort)(ulong)in[i];
}

// kernel: uchar_of_ulong
// global: 4
// arg: out uchar 4 => [44, 112, 0, 0]
// arg: in float 4 = [300.5, 70000.25, 98304, 5e9]
kernel void uchar_of_ulong(global uchar *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (uchar)(ulong)in[i];
}

// kernel: uint_of_ulong
// global: 4
// arg: out uint 4 => [300, 70000, 98304, 705032704]
// arg: in float 4 = [300.5, 70000.25, 98304, 5e9]
kernel void uint_of_ulong(global uint *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (uint)(ulong)in[i];
}

// kernel: ushort_of_uint
// global: 4
// arg: out ushort 4 => [300, 4464, 32768, 10240]
// arg: in float 4 = [300.5, 70000.25, 98304, 4e9]
kernel void ushort_of_uint(global ushort *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (ushort)(uint)in[i];
}

// kernel: short_of_long
// global: 4
// arg: out short 4 => [-300, -4464, -32768, 3584]
// arg: in float 4 = [-300.5, -70000.25, -98304, -5e9]
kernel void short_of_long(global short *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (short)(long)in[i];
}

// kernel: char_of_int
// global: 4
// arg: out char 4 => [-44, -112, 0, 0]
// arg: in float 4 = [-300.5, -70000.25, -98304, -2e9]
kernel void char_of_int(global char *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (char)(int)in[i];
}

// kernel: int_of_long
// global: 4
// arg: out int 4 => [-300, -70000, -98304, -705032704]
// arg: in float 4 = [-300.5, -70000.25, -98304, -5e9]
kernel void int_of_long(global int *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (int)(long)in[i];
}

// kernel: short_of_saturated
// global: 4
// arg: out short 4 => [300, 4464, -32768, -3584]
// arg: in float 4 = [300.5, 70000.25, 98304, 5e9]
kernel void short_of_saturated(global short *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = convert_short(convert_ulong_sat_rtn(in[i]));
}

// kernel: wide_of_saturated
// global: 4
// arg: out int 4 => [44, 112, 0, 0]
// arg: in float 4 = [300.5, 70000.25, 98304, 5e9]
kernel void wide_of_saturated(global int *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = convert_uchar(convert_ulong_sat_rtn(in[i]));
}

// kernel: masked
// global: 4
// arg: out uint 4 => [300, 4464, 32768, 10240]
// arg: in float 4 = [300.5, 70000.25, 98304, 4e9]
kernel void masked(global uint *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (uint)in[i] & 0xffff;
}

// kernel: shifted
// global: 4
// arg: out int 4 => [-300, -4464, -32768, 27648]
// arg: in float 4 = [-300.5, -70000.25, -98304, -2e9]
kernel void shifted(global int *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = (int)((uint)(int)in[i] << 16) >> 16;
}
