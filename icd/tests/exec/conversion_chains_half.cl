// needs: cl_khr_fp16
// Conversions to half and back, which round.

// kernel: float_by_half
// global: 6
// arg: out uint 6 => [0x3eaaa000, 0x3f800000, 0x3f802000, 0x7f800000, 0x477fe000, 0xbeaaa000]
// arg: in uint 6 = [0x3eaaaaab, 0x3f801000, 0x3f801001, 0x47800000, 0x477fefff, 0xbeaaaaab]
kernel void float_by_half(global uint *out, global const uint *in) {
  int i = get_global_id(0);
  out[i] = as_uint((float)(half)as_float(in[i]));
}

// kernel: absolute_by_half
// global: 6
// arg: out uint 6 => [0x3eaaa000, 0x3f800000, 0x3f802000, 0x7f800000, 0x477fe000, 0x3eaaa000]
// arg: in uint 6 = [0x3eaaaaab, 0x3f801000, 0x3f801001, 0x47800000, 0x477fefff, 0xbeaaaaab]
kernel void absolute_by_half(global uint *out, global const uint *in) {
  int i = get_global_id(0);
  out[i] = as_uint((float)fabs((half)as_float(in[i])));
}

// The half is a lane of a vector, and in a loop it is the value of the iteration before.
//
// kernel: lanes_by_half
// global: 6
// arg: out uint 6 => [0x3eaaa000, 0x3f800000, 0x3f802000, 0x7f800000, 0x477fe000, 0xbeaaa000]
// arg: in uint 6 = [0x3eaaaaab, 0x3f801000, 0x3f801001, 0x47800000, 0x477fefff, 0xbeaaaaab]
// arg: value int = 3
kernel void lanes_by_half(global uint *out, global const uint *in, int count) {
  int i = get_global_id(0);
  half4 x = (half4)(1.0h, (half)as_float(in[i]), 2.0h, 3.0h);
  half last = x.y;
  float sum = 0;
  for (int k = 0; k < count; k++) {
    sum = (float)last;
    last = k & 1 ? (half)as_float(in[i]) : x.s1032.x;
  }
  out[i] = as_uint(sum);
}

// kernel: floats_by_halves
// global: 3
// arg: out uint 6 => [0x3eaaa000, 0x3f800000, 0x3f802000, 0x7f800000, 0x477fe000, 0xbeaaa000]
// arg: in uint 6 = [0x3eaaaaab, 0x3f801000, 0x3f801001, 0x47800000, 0x477fefff, 0xbeaaaaab]
kernel void floats_by_halves(global uint2 *out, global const uint2 *in) {
  int i = get_global_id(0);
  half2 x = convert_half2(as_float2(in[i]));
  out[i] = as_uint2(convert_float2(x.yx).yx);
}
